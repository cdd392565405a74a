export interface CachedLookup<K, V> {
  /** What is known already, without waiting. */
  peek(key: K): V | undefined
  get(key: K): Promise<V>
}

/**
 * Keeps what was found for ever and what failed not at all: an id that is unknown now may be registered a second
 * later. Callers that ask for the same key at the same time share one request.
 */
export function cacheLookup<K, V>(load: (key: K) => Promise<V>): CachedLookup<K, V> {
  const found = new Map<K, V>()
  const pending = new Map<K, Promise<V>>()

  const loadAndKeep = async (key: K): Promise<V> => {
    try {
      const value = await load(key)
      found.set(key, value)
      return value
    } finally {
      pending.delete(key)
    }
  }

  return {
    peek: (key) => found.get(key),
    async get(key) {
      const known = found.get(key)
      if (known !== undefined) return known
      const running = pending.get(key) ?? loadAndKeep(key)
      pending.set(key, running)
      return running
    },
  }
}

/** Resolves when these indices are there to be written to. */
export interface MonthIndices {
  ensure(indices: Iterable<string>): Promise<void>
  /** Somebody deleted it: it is looked for again. */
  forget(index: string): void
}

/** Each is made, or found, once. One that could not be made is tried again by whoever needs it next. */
export const createMonthIndices = (create: (index: string) => Promise<void>): MonthIndices => {
  const known = new Map<string, Promise<void>>()
  const ensureOne = async (index: string): Promise<void> => {
    const making = known.get(index) ?? create(index)
    known.set(index, making)
    try {
      await making
    } catch (error) {
      if (known.get(index) === making) known.delete(index)
      throw error
    }
  }
  return {
    ensure: async (indices) => void (await Promise.all([...new Set(indices)].map(ensureOne))),
    forget: (index) => void known.delete(index),
  }
}

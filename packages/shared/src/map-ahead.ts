/**
 * Maps a stream, in its order, with up to `ahead` items under way before they are asked for: whoever reads works on one
 * while the next ones are being made. Nothing begins before the first is asked for. What was begun when somebody stops
 * reading, or when an item fails, comes to its end by itself and counts for nothing.
 */
export async function* mapAhead<T, U>(
  source: AsyncIterable<T>,
  map: (item: T) => Promise<U>,
  ahead: number,
): AsyncGenerator<U, void, undefined> {
  const items = source[Symbol.asyncIterator]()
  // A generator answers one after the other, so that items come in order however many were asked for.
  const begin = async (): Promise<Mapped<U>> => {
    const next = await items.next()
    return next.done ? { done: true } : { done: false, value: await map(next.value) }
  }
  const begun: Promise<Mapped<U>>[] = []
  try {
    for (;;) {
      while (begun.length <= ahead) begun.push(handled(begin()))
      const mapped = await (begun.shift() as Promise<Mapped<U>>)
      if (mapped.done) return
      yield mapped.value
    }
  } finally {
    void items.return?.().catch(() => {})
  }
}

type Mapped<U> = { readonly done: true } | { readonly done: false; readonly value: U }

/** A failure is seen by whoever awaits it, if anybody does; the process does not end for one that nobody asked for. */
const handled = <T>(work: Promise<T>): Promise<T> => {
  work.catch(() => {})
  return work
}

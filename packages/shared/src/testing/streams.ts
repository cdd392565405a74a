export async function* streamOf<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* items
}

export const collect = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

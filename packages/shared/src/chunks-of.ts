export function* chunksOf<T>(items: readonly T[], length: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += length) yield items.slice(start, start + length)
}

/** How many there are of each name. For metrics: a label costs more than a message should. */
export const countBy = <T>(items: readonly T[], nameOf: (item: T, index: number) => string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const name = nameOf(item, index)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

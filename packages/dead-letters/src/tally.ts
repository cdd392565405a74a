export interface Tally {
  add(value: string): void
  top(count: number): { readonly value: string; readonly count: number }[]
  /** Of how many different values; more than this many if `isCut`. */
  distinct(): number
  /** Whether there were so many that some were not counted by themselves. */
  isCut(): boolean
}

/** Counts by value, in bounded memory: exact for the values that came first, which are nearly always all of them. */
export const createTally = (maxValues = 10_000): Tally => {
  const counts = new Map<string, number>()
  let cut = false
  return {
    add: (value) => {
      const count = counts.get(value)
      if (count !== undefined) counts.set(value, count + 1)
      else if (counts.size < maxValues) counts.set(value, 1)
      else cut = true
    },
    top: (count) =>
      [...counts]
        .sort(([one, ones], [other, others]) => others - ones || one.localeCompare(other))
        .slice(0, count)
        .map(([value, many]) => ({ value, count: many })),
    distinct: () => counts.size,
    isCut: () => cut,
  }
}

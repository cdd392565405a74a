interface Ordered {
  engine: { name: string; dependsOn: readonly string[] }
}

/** Dependencies before dependents. */
export const inStartOrder = <T extends Ordered>(runners: readonly T[]): T[] => levels(runners).flat()

/** Groups that may end side by side: dependents before what they depend on. */
export const inStopOrder = <T extends Ordered>(runners: readonly T[]): T[][] => levels(runners).reverse()

const levels = <T extends Ordered>(runners: readonly T[]): T[][] => {
  const ordered: T[][] = []
  let rest = [...runners]
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ engine }) => engine.name))
    const level = rest.filter(({ engine }) => !engine.dependsOn.some((name) => waiting.has(name)))
    if (level.length === 0) throw new Error(`Engines depend on each other: ${[...waiting].join(', ')}`)
    ordered.push(level)
    rest = rest.filter((runner) => !level.includes(runner))
  }
  return ordered
}

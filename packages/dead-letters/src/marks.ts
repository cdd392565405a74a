import type { DeadLetter } from './dead-letter.ts'
import type { Mark } from './mark.ts'

type MarkFacts = Omit<Mark, 'timestamp'>

/** The marks of one topic of dead letters. */
export interface Marks {
  of(letter: Pick<DeadLetter, 'partition' | 'offset' | 'timestamp'>): MarkFacts | undefined
  set(partition: number, offset: number, mark: Mark): void
  size(): number
}

/**
 * There may be as many as there were dead letters, so what a whole transaction has in common is kept once, and of each
 * only where it is and its time.
 */
export const createMarks = (): Marks => {
  const facts = new Map<string, MarkFacts>()
  const partitions = new Map<number, Map<number, { facts: MarkFacts; timestamp: number }>>()
  const shared = ({ timestamp: _own, ...common }: Mark): MarkFacts => {
    const id = `${common.run} ${common.at} ${common.action} ${common.target}`
    const known = facts.get(id)
    if (known !== undefined) return known
    facts.set(id, common)
    return common
  }
  return {
    of: ({ partition, offset, timestamp }) => {
      const mark = partitions.get(partition)?.get(offset)
      return mark?.timestamp === timestamp ? mark.facts : undefined
    },
    set: (partition, offset, mark) => {
      const marks = partitions.get(partition) ?? new Map()
      partitions.set(partition, marks.set(offset, { facts: shared(mark), timestamp: mark.timestamp }))
    },
    size: () => [...partitions.values()].reduce((sum, marks) => sum + marks.size, 0),
  }
}

export const noMarks: Marks = createMarks()

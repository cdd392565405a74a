import type { PartitionRange, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { type DeadLetter, readDeadLetter } from './dead-letter.ts'
import type { Marks } from './marks.ts'
import { createMatcher, type Selection } from './selection.ts'

export interface ScannedLetter {
  readonly letter: DeadLetter
  /** How it was dealt with, if it was. */
  readonly mark: ReturnType<Marks['of']>
}

/** What one request to a broker brought of the selected ones, and how many records were looked at for it. */
export interface ScannedPart {
  readonly letters: readonly ScannedLetter[]
  readonly looked: number
}

export interface ScanOptions {
  readonly reader: Pick<TopicReader, 'read'>
  readonly topic: string
  readonly ranges: readonly PartitionRange[]
  readonly selection: Selection
  readonly marks: Marks
}

/** Goes through a topic of dead letters and keeps nothing. */
export async function* scan(options: ScanOptions): AsyncGenerator<ScannedPart> {
  const { reader, topic, ranges, selection, marks } = options
  const isSelected = createMatcher(selection)
  for await (const { partition, messages } of reader.read(topic, ranges)) {
    const letters: ScannedLetter[] = []
    for (const message of messages) {
      const letter = readDeadLetter(topic, partition, message)
      if (isSelected(letter)) letters.push({ letter, mark: marks.of(letter) })
    }
    yield { letters, looked: messages.length }
  }
}

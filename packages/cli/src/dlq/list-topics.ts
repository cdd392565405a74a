import { type Marks, noMarks } from '@dropbell/dead-letters/marks'
import { scan } from '@dropbell/dead-letters/scan'
import { createTally } from '@dropbell/dead-letters/tally'
import { formatTable } from '@dropbell/shared/format-table'
import type { TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { brokerAnswerOf, protocolTypeOf } from '../kafka/kafka-failure.ts'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'
import { findDlqTopics } from './find-dlq-topics.ts'
import { formatCount, formatMoment } from './format-facts.ts'
import { readDone } from './read-marks.ts'
import type { DlqClients } from './with-dlq.ts'

/** Also what `dlq topics --json` prints, one per topic. */
export interface DlqTopic {
  readonly topic: string
  /** Not dealt with yet. */
  readonly waiting: number
  readonly done: number
  /** Of those that wait, in milliseconds. */
  readonly oldest: number | null
  readonly newest: number | null
  readonly reasons: readonly { readonly value: string; readonly count: number }[]
}

/** One that this user may not read, or whose partition has no leader now, does not keep the others from being shown. */
export interface UnreadableTopic {
  readonly topic: string
  readonly why: string
}

export const listDlqTopics = async ({ admin, reader, suffix }: DlqClients, output: Output) => {
  const names = await findDlqTopics(admin, suffix)
  const { marks } = await readDone(reader, output)
  const topics: DlqTopic[] = []
  const unreadable: UnreadableTopic[] = []
  for (const topic of names) {
    try {
      topics.push(await lookThrough(reader, topic, marks.get(topic) ?? noMarks, output))
    } catch (error) {
      const answer = brokerAnswerOf(error)
      if (answer === undefined) throw error
      unreadable.push({ topic, why: `${protocolTypeOf(answer)}, ${answer.message}` })
    }
  }
  return { topics, unreadable }
}

const lookThrough = async (reader: TopicReader, topic: string, marks: Marks, output: Output): Promise<DlqTopic> => {
  const ranges = await reader.extentOf(topic)
  const reasons = createTally()
  let [waiting, done, looked] = [0, 0, 0]
  let [oldest, newest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for await (const part of scan({ reader, topic, ranges, selection: {}, marks })) {
    for (const { letter, mark } of part.letters) {
      if (mark !== undefined) {
        done++
        continue
      }
      waiting++
      oldest = Math.min(oldest, letter.timestamp)
      newest = Math.max(newest, letter.timestamp)
      reasons.add(letter.reason)
    }
    looked += part.looked
    output.progress(`${topic}: ${formatCount(looked)} records read …`)
  }
  const times = waiting === 0 ? { oldest: null, newest: null } : { oldest, newest }
  return { topic, waiting, done, ...times, reasons: reasons.top(5) }
}

export const formatDlqTopics = (topics: readonly DlqTopic[], suffix: string): string => {
  if (topics.length === 0) {
    return `No topic's name ends with ${suffix} (DLQ_TOPIC_SUFFIX). \`dropbell topics apply\` creates ours.`
  }
  const full = topics.filter(({ waiting }) => waiting > 0)
  if (full.length === 0) return `Nothing waits in the ${topics.length} topics of dead letters.`
  const table = formatTable(
    ['topic', 'waiting', 'oldest', 'newest', 'top reasons'],
    full.map(({ topic, waiting, oldest, newest, reasons }) => [
      topic,
      formatCount(waiting),
      formatMoment(oldest ?? Number.NaN),
      formatMoment(newest ?? Number.NaN),
      reasons
        .slice(0, 3)
        .map(({ value, count }) => `${printable(value, 60)} ${formatCount(count)}`)
        .join(', '),
    ]),
  )
  const others = topics.length - full.length
  return others === 0 ? table : `${table}\n\nNothing waits in ${others} other topics of dead letters.`
}

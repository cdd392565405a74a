import { setTimeout as wait } from 'node:timers/promises'
import { dlqStateTopic } from '@dropbell/schemas/topics'
import { TransientError } from '@dropbell/shared/errors'
import type { PartitionExtent, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import type { KafkaMessage } from 'kafkajs'
import { decodeMark, parseMarkKey } from './mark.ts'
import { createMarks, type Marks } from './marks.ts'
import { decodeRun, isRunKey, type Run } from './run.ts'

export interface DlqState {
  /** By topic of dead letters. */
  readonly marks: ReadonlyMap<string, Marks>
  /** In the order in which they began. */
  readonly runs: readonly Run[]
  /** Records that are not ours, or of a later version. */
  readonly unreadable: number
}

export interface ReadStateOptions {
  /** Only the marks of this topic. */
  readonly topic?: string
  /** Whether it must be everything: waits while a transaction hides what was written behind its first record. */
  readonly complete?: boolean
  readonly onWait?: () => void
  readonly timeoutMs?: number
}

/** Everything that was done with dead letters so far; nothing if the topic has not been created yet. */
export const readState = async (reader: TopicReader, options: ReadStateOptions = {}): Promise<DlqState> => {
  const extent = await readableExtent(reader, options)
  const marks = new Map<string, Marks>()
  const runs = new Map<string, Run>()
  let unreadable = 0
  const take = ({ key, value }: KafkaMessage): void => {
    const name = key?.toString() ?? ''
    if (value === null) return
    if (isRunKey(name)) {
      const run = decodeRun(value)
      if (run === undefined) unreadable++
      else runs.set(run.id, run)
      return
    }
    const place = parseMarkKey(name)
    if (place !== undefined && options.topic !== undefined && place.topic !== options.topic) return
    const mark = decodeMark(value)
    if (place === undefined || mark === undefined) {
      unreadable++
      return
    }
    const ofTopic = marks.get(place.topic) ?? createMarks()
    marks.set(place.topic, ofTopic)
    ofTopic.set(place.partition, place.offset, mark)
  }
  for await (const { messages } of reader.read(dlqStateTopic.name, extent))
    for (const message of messages) take(message)
  const inOrder = [...runs.values()].sort((one, other) => one.begunAt.localeCompare(other.begunAt))
  return { marks, runs: inOrder, unreadable }
}

/** Longer than the brokers need to end the transaction of a run that was killed. */
const defaultTimeoutMs = 60_000

const readableExtent = async (
  reader: TopicReader,
  { complete = false, onWait = () => {}, timeoutMs = defaultTimeoutMs }: ReadStateOptions,
): Promise<readonly PartitionExtent[]> => {
  const first = await reader.extentOf(dlqStateTopic.name)
  if (!complete) return first
  const deadline = performance.now() + timeoutMs
  for (let now = first; ; now = await reader.extentOf(dlqStateTopic.name)) {
    const isReadable = first.every(({ end }, index) => (now[index]?.until ?? 0) >= end)
    if (isReadable) return now
    if (performance.now() > deadline) {
      throw new TransientError('DLQ_STATE_BUSY', `A transaction keeps ${dlqStateTopic.name} from being read to its end`)
    }
    onWait()
    await wait(250)
  }
}

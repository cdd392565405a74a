import { type DlqState, type ReadStateOptions, readState } from '@dropbell/dead-letters/read-state'
import { dlqStateTopic } from '@dropbell/schemas/topics'
import { TransientError } from '@dropbell/shared/errors'
import type { TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { protocolTypeOf } from '../kafka/kafka-failure.ts'
import type { Output } from '../output.ts'

const nothingDone: DlqState = { marks: new Map(), runs: [], unreadable: 0 }

/** What was done so far. Before the first run on a cluster the topic may be missing: then nothing was. */
export const readDone = async (
  reader: TopicReader,
  output: Pick<Output, 'warn'>,
  options: ReadStateOptions = {},
): Promise<DlqState> => {
  try {
    return warnOfUnreadable(await readState(reader, options), output)
  } catch (error) {
    if (protocolTypeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return nothingDone
    throw error
  }
}

/** All of it, for whoever is going to write. */
export const readDoneBefore = async (
  reader: TopicReader,
  output: Pick<Output, 'warn' | 'progress'>,
  topic: string,
): Promise<DlqState> => {
  const onWait = () => output.progress('Waiting for the transaction of another run to end …')
  try {
    return warnOfUnreadable(await readState(reader, { topic, complete: true, onWait }), output)
  } catch (error) {
    if (!(error instanceof TransientError) || error.code !== 'DLQ_STATE_BUSY') throw error
    throw new CliError({
      code: error.code,
      message: `${error.message}.`,
      hint: 'Brokers end it after a while: try again in a minute. Nothing was written.',
      exitCode: exitCodes.unavailable,
      cause: error,
    })
  }
}

export const requireStateTopic = async (reader: TopicReader): Promise<void> => {
  try {
    await reader.extentOf(dlqStateTopic.name)
  } catch (error) {
    if (protocolTypeOf(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error
    throw new CliError({
      code: 'NO_STATE_TOPIC',
      message: `There is no topic ${dlqStateTopic.name}, where it is noted what was done with dead letters.`,
      hint: '`dropbell topics apply` creates it.',
      exitCode: exitCodes.problemsFound,
      cause: error,
    })
  }
}

const warnOfUnreadable = (state: DlqState, { warn }: Pick<Output, 'warn'>): DlqState => {
  if (state.unreadable > 0) {
    warn(`${state.unreadable} records of ${dlqStateTopic.name} cannot be read, perhaps a newer dropbell wrote them.`)
  }
  return state
}

import { isDlqName } from '@dropbell/dead-letters/dlq-names'
import { TransientError } from '@dropbell/shared/errors'
import type { PartitionExtent, TopicReader } from '@dropbell/shared/kafka/topic-reader'
import type { Admin } from 'kafkajs'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { protocolTypeOf } from '../kafka/kafka-failure.ts'

export const findDlqTopics = async (admin: Admin, suffix: string): Promise<string[]> => {
  try {
    return (await admin.listTopics()).filter((topic) => isDlqName(topic, suffix)).sort()
  } catch (error) {
    // kafkajs lists all or nothing, and trips over the missing result if each broker failed.
    if (!(error instanceof TypeError)) throw error
    throw new TransientError('KAFKA_UNAVAILABLE', 'no broker could list the topics', { cause: error })
  }
}

/** What the topic holds now. Rejects if it is none, or none of dead letters. */
export const requireDlqTopic = async (
  { admin, reader }: { admin: Admin; reader: TopicReader },
  topic: string,
  suffix: string,
): Promise<PartitionExtent[]> => {
  if (!isDlqName(topic, suffix)) {
    throw new CliError({
      code: 'NO_DLQ_TOPIC',
      message: `${topic} is no topic of dead letters: their names end with ${suffix} (DLQ_TOPIC_SUFFIX).`,
      hint: await suggest(admin, suffix),
      exitCode: exitCodes.usage,
    })
  }
  try {
    return await reader.extentOf(topic)
  } catch (error) {
    const type = protocolTypeOf(error)
    if (type !== 'UNKNOWN_TOPIC_OR_PARTITION' && type !== 'INVALID_TOPIC_EXCEPTION') throw error
    throw new CliError({
      code: 'NO_SUCH_TOPIC',
      message: `There is no topic ${topic}.`,
      hint: await suggest(admin, suffix),
      exitCode: exitCodes.usage,
      cause: error,
    })
  }
}

const suggest = async (admin: Admin, suffix: string): Promise<string> => {
  const topics = await findDlqTopics(admin, suffix).catch(() => [])
  if (topics.length === 0) return 'There are no topics of dead letters here; `dropbell topics apply` creates ours.'
  return `There are: ${topics.slice(0, 20).join(', ')}${topics.length > 20 ? ' …' : ''}`
}

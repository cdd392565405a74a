import type { PlannedTopic } from '@dropbell/schemas/topic-plan'
import { ConfigError } from '@dropbell/shared/config'
import kafkajs, { type Admin } from 'kafkajs'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { protocolTypeOf } from '../kafka/kafka-failure.ts'

/** The names of those that this call has created; one that somebody else created meanwhile is not among them. */
export const createTopics = async (
  admin: Admin,
  topics: readonly PlannedTopic[],
  onProgress: (topic: string) => void,
): Promise<Set<string>> => {
  await requireBrokers(admin, topics)
  const created = new Set<string>()
  for (const planned of topics) {
    onProgress(planned.topic)
    if (await createTopic(admin, planned)) created.add(planned.topic)
  }
  return created
}

const requireBrokers = async (admin: Admin, topics: readonly PlannedTopic[]): Promise<void> => {
  const needed = Math.max(0, ...topics.map(({ replicationFactor }) => replicationFactor))
  const { brokers } = await admin.describeCluster()
  if (needed <= brokers.length) return
  const expected = `at most ${brokers.length}, the number of brokers that are up`
  throw new ConfigError([{ name: 'TOPICS_REPLICATION_FACTOR', problem: `is ${needed}`, expected }])
}

const createTopic = async (admin: Admin, { configEntries, ...planned }: PlannedTopic): Promise<boolean> => {
  try {
    // kafkajs's own wait for leaders fails when the broker has not heard of the topic yet.
    return await admin.createTopics({
      topics: [{ ...planned, configEntries: [...configEntries] }],
      waitForLeaders: false,
    })
  } catch (error) {
    throw describeRefusal(planned.topic, error)
  }
}

const describeRefusal = (topic: string, error: unknown): unknown => {
  const [refusal] = error instanceof kafkajs.KafkaJSAggregateError ? error.errors : []
  const type = protocolTypeOf(refusal)
  if (type === undefined || type.endsWith('_AUTHORIZATION_FAILED')) return error
  return new CliError({
    code: 'TOPIC_REFUSED',
    message: `Kafka refused to create ${topic}: ${(refusal as Error).message} (${type})`,
    hint: 'The log of the broker says more. What was created before stays; apply again when the cause is gone.',
    exitCode: exitCodes.problemsFound,
    cause: error,
  })
}

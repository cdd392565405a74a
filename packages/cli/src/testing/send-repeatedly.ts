import { createRequire } from 'node:module'
import { openCluster } from '@dropbell/shared/kafka/topic-reader/open-cluster'
import { CompressionTypes, type Kafka, type Message } from 'kafkajs'

interface ProtocolRequest {
  request: { encode(): Promise<unknown> }
  response: unknown
}

export interface RepeatedRecords {
  topic: string
  /** By partition. */
  messages: readonly Message[][]
  times: number
}

/**
 * Writes the same records again and again. kafkajs encodes some 25,000 a second; here they are encoded once, so that a
 * million takes seconds.
 */
export const sendRepeatedly = async (
  kafka: Kafka,
  brokers: string[],
  { topic, messages, times }: RepeatedRecords,
): Promise<void> => {
  const { protocol } = createRequire(import.meta.url)('kafkajs/src/protocol/requests/produce') as {
    protocol(options: { version: number }): (options: object) => ProtocolRequest
  }
  const { request, response } = protocol({ version: 7 })({
    acks: 1,
    timeout: 30_000,
    compression: CompressionTypes.GZIP,
    topicData: [
      { topic, partitions: messages.map((ofPartition, partition) => ({ partition, messages: ofPartition })) },
    ],
  })
  const encoded = await request.encode()
  const cluster = openCluster(kafka, { brokers, requestTimeout: 30_000, enforceRequestTimeout: true })
  await cluster.connect()
  try {
    await cluster.addTargetTopic(topic)
    const [leader] = Object.keys(cluster.findLeaderForPartitions(topic, [0]))
    const broker = (await cluster.findBroker({ nodeId: leader as string })) as unknown as {
      connectionPool: { send(request: ProtocolRequest): Promise<unknown> }
    }
    const repeated = { request: { ...request, encode: async () => encoded }, response }
    for (let sent = 0; sent < times; sent++) await broker.connectionPool.send(repeated)
  } finally {
    await cluster.disconnect()
  }
}

import { createRequire } from 'node:module'
import type { Cluster, Kafka, KafkaConfig as KafkaSettings } from 'kafkajs'

/** As the brokers number them. */
export const isolation = { uncommitted: 0, committed: 1 } as const

export interface PartitionOffset {
  partition: number
  offset: string
}

/** What kafkajs's own types leave out of its brokers. */
export interface OffsetsBroker {
  listOffsets(request: {
    isolationLevel: number
    topics: { topic: string; partitions: { partition: number; timestamp: number }[] }[]
  }): Promise<{ responses: { topic: string; partitions: PartitionOffset[] }[] }>
}

/**
 * The connections below kafkajs's clients. Its consumer reads only as a member of a group: that takes a rebalance, rights
 * on a group, and leaves a group behind, and it does not say where it stands when all that is left are the markers of
 * transactions. Not part of its public API, hence `require`; the version of kafkajs is pinned.
 */
export const openCluster = (kafka: Kafka, settings: KafkaSettings): Cluster => {
  const require = createRequire(import.meta.url)
  const ClusterOfKafkajs = require('kafkajs/src/cluster') as new (options: object) => Cluster
  const createSocketFactory = require('kafkajs/src/network/socketFactory') as () => unknown
  return new ClusterOfKafkajs({
    ...settings,
    socketFactory: createSocketFactory(),
    logger: kafka.logger(),
    metadataMaxAge: 300_000,
    allowAutoTopicCreation: false,
    isolationLevel: isolation.committed,
  })
}

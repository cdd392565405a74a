import type { Admin } from 'kafkajs'
import kafkajs from 'kafkajs'

/** Creates the registry's topic if it is missing, and refuses one that would lose or reorder records. */
export const ensureSchemasTopic = async (admin: Admin, topic: string): Promise<void> => {
  const configEntries = [{ name: 'cleanup.policy', value: 'compact' }]
  await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }], waitForLeaders: true })
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
  const partitions = topics[0]?.partitions.length
  if (partitions !== 1) throw new Error(`topic ${topic} must have one partition, it has ${partitions}`)
  const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['cleanup.policy'] }]
  const { resources: described } = await admin.describeConfigs({ resources, includeSynonyms: false })
  const policy = described[0]?.configEntries[0]?.configValue
  // Anything that deletes by age deletes schemas whose bytes are still being read.
  if (policy !== 'compact') throw new Error(`topic ${topic} must have cleanup.policy=compact, it has ${policy}`)
}

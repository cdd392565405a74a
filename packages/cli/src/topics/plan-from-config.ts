import { type PlannedTopic, planTopics } from '@dropbell/schemas/topic-plan'
import type { TopicsConfig } from '../config.ts'

export const planFromConfig = (config: TopicsConfig): PlannedTopic[] => {
  const { TOPICS_REPLICATION_FACTOR, TOPICS_RETENTION_MS, TOPICS_DLQ_RETENTION_MS } = config
  return planTopics({
    replicationFactor: TOPICS_REPLICATION_FACTOR,
    ...(TOPICS_RETENTION_MS !== undefined && { retentionMs: TOPICS_RETENTION_MS }),
    ...(TOPICS_DLQ_RETENTION_MS !== undefined && { dlqRetentionMs: TOPICS_DLQ_RETENTION_MS }),
  })
}

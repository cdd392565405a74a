import { type PlannedTopic, planTopics } from '@dropbell/schemas/topic-plan'
import type { DlqConfig } from '@dropbell/shared/config/dlq'
import type { TopicsConfig } from '../config.ts'

export const planFromConfig = (config: TopicsConfig & Pick<DlqConfig, 'DLQ_TOPIC_SUFFIX'>): PlannedTopic[] => {
  const { TOPICS_REPLICATION_FACTOR, TOPICS_RETENTION_MS, TOPICS_DLQ_RETENTION_MS, DLQ_TOPIC_SUFFIX } = config
  return planTopics({
    replicationFactor: TOPICS_REPLICATION_FACTOR,
    dlqSuffix: DLQ_TOPIC_SUFFIX,
    ...(TOPICS_RETENTION_MS !== undefined && { retentionMs: TOPICS_RETENTION_MS }),
    ...(TOPICS_DLQ_RETENTION_MS !== undefined && { dlqRetentionMs: TOPICS_DLQ_RETENTION_MS }),
  })
}

import { audienceRules } from '@dropbell/offers/audience-rules'
import type { OfferConfig } from '@dropbell/offers/offer-config'
import { createCodec } from '@dropbell/schemas/codec'
import type { HistoryConfig } from '@dropbell/schemas/history/history-config'
import type { IndexConfig } from '@dropbell/schemas/index-config'
import type { SchemaRegistry } from '@dropbell/schemas/schema-registry'
import { notificationOutcomeTopic, notificationPushTopic, productInventoryTopic } from '@dropbell/schemas/topics'
import type { TopicReader } from '@dropbell/shared/kafka/topic-reader'
import type { Probe } from '@dropbell/shared/probe'
import type { Client } from '@elastic/elasticsearch'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import type { TraceSources } from './inquiry.ts'
import { createScan, type Scan, type ScanRequest } from './scan-topic.ts'
import { createBehaviourSource } from './sources/behaviour-source.ts'
import { createHistorySource } from './sources/history-source.ts'
import { createLedgerSource } from './sources/ledger-source.ts'
import { createRedisSource } from './sources/redis-source.ts'
import { createTopicSource } from './sources/topic-source.ts'

/** The engines there are; each can be left out. */
export interface TraceEngines {
  readonly kafka?:
    | { readonly reader: TopicReader; readonly probe: Probe; readonly registry: SchemaRegistry }
    | undefined
  readonly redis?: Redis | undefined
  readonly elasticsearch?: Client | undefined
  readonly postgres?: Pool | undefined
}

export interface TraceSourcesOptions {
  readonly config: OfferConfig & IndexConfig & HistoryConfig & { readonly DLQ_TOPIC_SUFFIX: string }
  /** Of one topic; more are not looked at. */
  readonly mostRecords: number
  readonly onProgress?: ScanRequest['onProgress']
}

export const createTraceSources = (engines: TraceEngines, options: TraceSourcesOptions): TraceSources => {
  const { kafka, redis, elasticsearch, postgres } = engines
  const { config, mostRecords, onProgress } = options
  return {
    history: elasticsearch && createHistorySource(elasticsearch, config.NOTIFICATION_HISTORY_INDEX),
    behaviours:
      elasticsearch &&
      createBehaviourSource({
        client: elasticsearch,
        index: config.USER_BEHAVIOR_INDEX,
        rules: audienceRules(config),
      }),
    ledger: postgres && createLedgerSource(postgres),
    redis: redis && createRedisSource(redis),
    kafka:
      kafka &&
      createTopicSource({
        scan: onceItAnswers(kafka.probe, createScan(kafka.reader)),
        codecs: {
          event: createCodec({ topic: productInventoryTopic, registry: kafka.registry }),
          notification: createCodec({ topic: notificationPushTopic, registry: kafka.registry }),
          outcome: createCodec({ topic: notificationOutcomeTopic, registry: kafka.registry }),
        },
        dlqSuffix: config.DLQ_TOPIC_SUFFIX,
        mostRecords,
        onProgress,
      }),
  }
}

/** A reader on its own would try for half a minute to find a broker. */
const onceItAnswers =
  (probe: Probe, scan: Scan): Scan =>
  async (request, look) => {
    await probe()
    return scan(request, look)
  }

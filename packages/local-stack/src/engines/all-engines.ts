import { elasticsearch } from './elasticsearch.ts'
import type { Engine } from './engine.ts'
import { fcmSimulator } from './fcm-simulator.ts'
import { kafka } from './kafka.ts'
import { postgres } from './postgres.ts'
import { recommendationSimulator } from './recommendation-simulator.ts'
import { redis } from './redis.ts'
import { schemaRegistry } from './schema-registry.ts'
import { smsSimulator } from './sms-simulator.ts'
import { smtpSink } from './smtp-sink.ts'

export const allEngines: readonly Engine[] = [
  kafka,
  schemaRegistry,
  elasticsearch,
  redis,
  postgres,
  fcmSimulator,
  smsSimulator,
  smtpSink,
  recommendationSimulator,
]

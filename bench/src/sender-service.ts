import { randomUUID } from 'node:crypto'
import { migrate } from '@dropbell/database/migrate'
import { createFcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import { startApp } from '@dropbell/push-sender/app'
import type { Failpoint } from '@dropbell/push-sender/failpoint'
import { pushSenderSchema } from '@dropbell/push-sender/service-config'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { dlqNameOf, notificationInappTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import { chunksOf } from '@dropbell/shared/chunks-of'
import { loadConfig } from '@dropbell/shared/config'
import { createLogger } from '@dropbell/shared/log'
import { createShutdown } from '@dropbell/shared/shutdown'
import { withDeadline } from '@dropbell/shared/with-deadline'
import { Kafka, logLevel, Partitioners } from 'kafkajs'
import pg from 'pg'
import { sampleNotifications } from './sample-events.ts'

export interface SenderService {
  /** Lets the service work off so many notifications that wait in its topic; messages per second. */
  measure(messages: number): Promise<number>
  stop(): Promise<void>
}

const USERS = 2_000
const MOST_MS = 120_000
/** So that none is larger than a broker takes. */
const MOST_PER_REQUEST = 3_000

/** The whole service with a topic, a group and a database of its own, the database with so many settled rows. */
export async function openSenderService(
  env: Record<string, string>,
  { name, settledRows }: { name: string; settledRows: number },
): Promise<SenderService> {
  const log = createLogger({ level: 'silent', service: 'bench' })
  const database = await createDatabase(env.DATABASE_URL as string, name)
  await migrate({ connection: { connectionString: database }, log })
  await fill(database, settledRows)
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const input = { topic: `bench-${name}`, groupId: `bench-${name}` }
  const admin = kafka.admin()
  await admin.connect()
  const numPartitions = notificationPushTopic.partitions
  const topics = [input.topic, dlqNameOf(input.topic)].map((topic) => ({ topic, numPartitions }))
  await admin.createTopics({ topics, waitForLeaders: false })
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const codec = createCodec({ topic: notificationPushTopic, registry })

  const service = {
    ...env,
    ...{ DATABASE_URL: database, FCM_PROJECT_ID: name, LOG_LEVEL: 'silent', OPERATIONS_PORT: '0' },
  }
  const config = loadConfig(pushSenderSchema, service)
  const fail = (error: unknown) => {
    throw error
  }

  const fcm = createFcmControl(env.FCM_ENDPOINT as string, name)

  /** At devices, and for the app. */
  const arrived = async (): Promise<number[]> => {
    const { accepted } = await fcm.report()
    const offsets = await admin.fetchTopicOffsets(notificationInappTopic.name)
    return [accepted, offsets.reduce((sum, { high }) => sum + Number(high), 0)]
  }

  /** From the first batch in the ledger to the last outcome published. */
  const work = async (messages: number): Promise<number> => {
    const shutdown = createShutdown({ timeoutMs: 20_000, log })
    let beganAt = 0
    let done = 0
    let finish: (ms: number) => void = () => {}
    const finished = new Promise<number>((resolve) => {
      finish = resolve
    })
    const failpoint: Failpoint = async (point, _, held) => {
      if (point === 'after-claim' && beganAt === 0) beganAt = performance.now()
      if (point === 'before-offset') done += held.filter(({ key }) => key.channel === 'PUSH').length
      if (done >= messages) finish(performance.now() - beganAt)
    }
    const late = () => new Error(`${name}: ${done} of ${messages} were sent within ${MOST_MS} ms`)
    try {
      await startApp({ config, log, shutdown, fail }, { input, failpoint })
      return await withDeadline(finished, MOST_MS, late)
    } finally {
      await shutdown.stop()
    }
  }

  return {
    measure: async (count) => {
      const notifications = freshNotifications(count)
      const values = await codec.encodeBatch(notifications)
      const messages = notifications.map(({ userId: key }, index) => ({ key, value: values[index] as Buffer }))
      for (const part of chunksOf(messages, MOST_PER_REQUEST)) {
        await producer.send({ topic: input.topic, acks: -1, messages: [...part] })
      }
      const before = await arrived()
      const ms = await work(count)
      const after = await arrived()
      for (const [index, where] of ['at devices', 'for the app'].entries()) {
        const came = (after[index] ?? 0) - (before[index] ?? 0)
        if (came !== count) throw new Error(`${name}: ${came} of ${count} messages arrived ${where}`)
      }
      return (count * 1_000) / ms
    },
    stop: async () => {
      await Promise.all([producer.disconnect(), admin.disconnect()])
    },
  }
}

const freshNotifications = (count: number): NotificationEvent[] =>
  sampleNotifications(count).map((notification, index) => ({
    ...notification,
    notificationId: randomUUID(),
    userId: `user-${index % USERS}`,
    timestamp: Date.now(),
    eventTimestamp: Date.now(),
    expiresAt: Date.now() + 86_400_000,
  }))

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE bench_${name}`).finally(() => client.end())
  const url = new URL(server)
  url.pathname = `/bench_${name}`
  return url.href
}

async function fill(connectionString: string, settledRows: number): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO devices (device_id, user_id, token, platform, push_consent)
       SELECT 'device-' || n, 'user-' || n, 'bench-token-' || n, 'ANDROID', true FROM generate_series(0, $1 - 1) n`,
      [USERS],
    )
    await client.query(
      `INSERT INTO notifications (
         notification_id, user_id, notification_type, product_id, event_id, title, body, data, channels, expires_at
       )
       SELECT gen_random_uuid(), 'user-' || n % ${USERS}, 'PRICE_DROP', 'P-20391', 'old', '가격이 떨어졌어요!',
         '에어 러닝 운동화가 12% 할인 중입니다!', '{"currentPrice": "69.9"}', '{PUSH,IN_APP}', now() + interval '1 day'
       FROM generate_series(1, $1::int) n`,
      [settledRows],
    )
    await client.query(
      `INSERT INTO deliveries (
         notification_id, channel, target_id, status, transactional, expires_at, attempt, settled_at, revision, revised_at
       )
       SELECT notification_id, 'PUSH', replace(user_id, 'user', 'device'), 'SUCCESS', false, expires_at, 1, now(), 1, now()
       FROM notifications
       UNION ALL
       SELECT notification_id, 'IN_APP', 'inbox', 'SUCCESS', false, expires_at, 1, now(), 1, now() FROM notifications`,
    )
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
}

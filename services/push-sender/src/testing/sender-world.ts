import { randomUUID } from 'node:crypto'
import type { DeliveryRow } from '@dropbell/database/delivery-row'
import { migrate } from '@dropbell/database/migrate'
import { createFcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import { type ServiceProcess, startServiceProcess } from '@dropbell/local-stack/service-process'
import { createSmsControl, smsGatewayUrl } from '@dropbell/local-stack/sms-simulator/control-client'
import { createSmtpControl, smtpUrlOf } from '@dropbell/local-stack/smtp-sink/control-client'
import type { Stack } from '@dropbell/local-stack/stack'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createProductStates } from '@dropbell/offers/product-state'
import { inventoryEvent } from '@dropbell/offers/testing/inventory-event'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import {
  dlqNameOf,
  notificationInappTopic,
  notificationOutcomeTopic,
  notificationPushTopic,
} from '@dropbell/schemas/topics'
import { loadConfig } from '@dropbell/shared/config'
import { createShutdown } from '@dropbell/shared/shutdown'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Redis } from 'ioredis'
import { type Consumer, Kafka, type KafkaMessage, logLevel, type Message, Partitioners } from 'kafkajs'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { type AppParts, startApp } from '../app.ts'
import { pushSenderSchema } from '../service-config.ts'
import type { FailpointPlan } from './run-with-failpoint.ts'

/** Leases and waits as short as a test wants them, and long enough for a first mail on a busy machine; the rest as in production. */
export const impatient = {
  DELIVERY_LEASE_MS: '7000',
  DELIVERY_SEND_DEADLINE_MS: '4000',
  DELIVERY_POLL_INTERVAL_MS: '100',
  DELIVERY_RETRY_DELAYS_MS: '100,200,400',
}

/**
 * Everything that lanes share: engines, schemas, and what is said about outcomes. On the stack of the test run, whose
 * engines must be left alone, unless it is given another.
 */
export const createSenderWorld = async (stack?: Stack) => {
  const env = { ...(stack?.env() ?? testEnv()) } as Record<string, string>
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const admin = kafka.admin()
  await admin.connect()
  await registerSchemas(registry)
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const codec = createCodec({ topic: notificationPushTopic, registry })
  const outcomeCodec = createCodec({ topic: notificationOutcomeTopic, registry })

  const outcomes: NotificationOutcome[] = []
  const consumers: Consumer[] = []
  const collect = async (topic: string, read: (message: KafkaMessage & { partition: number }) => Promise<unknown>) => {
    const consumer = kafka.consumer({ groupId: `collect-${randomUUID()}`, maxWaitTimeInMs: 100 })
    consumers.push(consumer)
    await consumer.connect()
    await consumer.subscribe({ topic, fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message, partition }) => void (await read({ ...message, partition })) })
  }
  const cleanUps: (() => Promise<unknown>)[] = []

  /** kafkajs's own waiting for leaders gives up at a broker that has not heard of the topic yet. */
  const createTopics = async (topics: { topic: string; numPartitions: number }[]): Promise<void> => {
    await admin.createTopics({ topics, waitForLeaders: false })
    await vi.waitFor(async () => {
      const found = await admin.fetchTopicMetadata({ topics: topics.map(({ topic }) => topic) })
      const leaders = found.topics.flatMap(({ partitions }) => partitions.filter(({ leader }) => leader >= 0))
      expect(leaders).toHaveLength(topics.reduce((sum, { numPartitions }) => sum + numPartitions, 0))
    }, 10_000)
  }

  await createTopics(
    [notificationOutcomeTopic, notificationInappTopic].map(({ name, partitions }) => ({
      topic: name,
      numPartitions: partitions,
    })),
  )
  await collect(notificationOutcomeTopic.name, async ({ value }) => {
    // Others write to it too, in their own ways.
    const [decoded] = await outcomeCodec.decodeBatch([value])
    if (decoded?.ok) outcomes.push(decoded.value)
  })
  const inApp: NotificationEvent[] = []
  await collect(notificationInappTopic.name, async ({ value }) => inApp.push(await codec.decode(value as Buffer)))

  const redis = new Redis(env.REDIS_URL as string)
  redis.on('error', () => {}) // an engine that a test stops
  cleanUps.push(async () => redis.disconnect())
  const states = createProductStates({ client: redis, config: { PRODUCT_STATE_DAYS: 8 } })
  /** As the inventory consumer keeps it. */
  const recordState = (productId: string, said: Partial<ProductInventoryEvent>): Promise<void> =>
    states.recordProductStates([inventoryEvent({ productId, timestamp: Date.now(), ...said })])
  await recordState(sampleProductId, { currentPrice: 79.9, currentStock: 5 })

  /** A service with topic, group, database and Firebase project of its own. */
  const openLane = async (overrides: Record<string, string> = {}) => {
    const name = `lane-${randomUUID().slice(0, 8)}`
    const topic = `push-${name}`
    const numPartitions = notificationPushTopic.partitions
    const topics = [topic, dlqNameOf(topic)].map((topic) => ({ topic, numPartitions }))
    await createTopics(topics)
    const database = await createDatabase(env.DATABASE_URL as string, name.replaceAll('-', '_'))
    const pool = new pg.Pool({ connectionString: database })
    pool.on('error', () => {})
    cleanUps.push(() => pool.end())
    const fcm = createFcmControl(env.FCM_ENDPOINT as string, name)
    // A stack without their simulators only logs what goes there.
    const { SMS_GATEWAY_URL: smsUrl, SMTP_URL: smtpUrl, SMTP_SINK_URL: sinkUrl = '' } = env
    const accounts = {
      ...(smsUrl && { SMS_GATEWAY_URL: smsGatewayUrl(smsUrl, name) }),
      ...(smtpUrl && { SMTP_URL: smtpUrlOf(smtpUrl, name) }),
    }
    const plan: FailpointPlan = { input: { topic, groupId: name }, sessionTimeoutMs: 6_000 }
    const processes: ServiceProcess[] = []
    const here: (() => Promise<unknown>)[] = []
    cleanUps.push(() => Promise.all(processes.map((running) => running.kill())))
    const serviceEnv = { ...env, ...accounts, ...impatient, DATABASE_URL: database, FCM_PROJECT_ID: name, ...overrides }
    const deadLetters: (KafkaMessage & { partition: number })[] = []

    const send = (messages: Message[]) => producer.send({ topic, acks: -1, messages })
    const rowsOf = async (notifications: readonly NotificationEvent[]): Promise<DeliveryRow[]> => {
      const ids = notifications.map(({ notificationId }) => notificationId)
      const text = 'SELECT * FROM deliveries WHERE notification_id = ANY ($1::uuid[]) ORDER BY target_id'
      return (await pool.query<DeliveryRow>(text, [ids])).rows
    }
    const outcomesOf = ({ notificationId }: NotificationEvent) =>
      outcomes.filter((outcome) => outcome.notificationId === notificationId)

    return {
      ...{ name, topic, pool, fcm, send, rowsOf, outcomesOf, recordState },
      sms: createSmsControl(smsUrl ?? '', name),
      smtp: createSmtpControl(sinkUrl, name),
      /** How often it was published to the app. */
      inAppOf: ({ notificationId }: NotificationEvent): number =>
        inApp.filter((notification) => notification.notificationId === notificationId).length,
      start: async (at?: FailpointPlan['at'], more: Record<string, string> = {}): Promise<ServiceProcess> => {
        const FAILPOINT_PLAN = JSON.stringify({ ...plan, ...(at && { at }) })
        const started = await startServiceProcess('services/push-sender/src/testing/run-with-failpoint.ts', {
          ...serviceEnv,
          ...more,
          FAILPOINT_PLAN,
        })
        processes.push(started)
        return started
      },
      /** Another instance, within this process: nobody kills it. */
      startHere: async (more: Record<string, string> = {}, parts: AppParts = {}): Promise<HereInstance> => {
        const { log } = captureLog()
        const config = loadConfig(pushSenderSchema, { ...serviceEnv, ...more, OPERATIONS_PORT: '0' })
        const shutdown = createShutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, log })
        cleanUps.push(shutdown.stop)
        here.push(shutdown.stop)
        const context = { config: { ...config, CONSUMER_SESSION_TIMEOUT_MS: plan.sessionTimeoutMs }, log, shutdown }
        const { operations } = await startApp({ ...context, fail: () => {} }, { input: plan.input, ...parts })
        const metrics = async () => (await fetch(`http://${operations.host}:${operations.port}/metrics`)).text()
        return { metrics, stop: shutdown.stop }
      },
      stop: async (): Promise<void> => {
        const running = processes.splice(0).map((one) => one.stop())
        await Promise.all([...running, ...here.splice(0).map((stop) => stop())])
      },
      /** All to one partition and in one request, so that they make one batch, unless a partition is not said. */
      publish: async (notifications: readonly NotificationEvent[], partition?: number): Promise<void> => {
        const values = await codec.encodeBatch(notifications)
        const where = partition === undefined ? {} : { partition }
        await send(notifications.map(({ userId: key }, i) => ({ key, value: values[i] as Buffer, ...where })))
      },
      collectDeadLetters: () => collect(dlqNameOf(topic), async (message) => deadLetters.push(message)),
      deadLetters: () => deadLetters,
      replayDeadLetters: () =>
        send(
          deadLetters.map(({ key, value, partition, headers }) => ({
            ...{ key, value, partition },
            headers: { ...headers, 'dropbell-replay-count': '1' },
          })),
        ),
      /** The newest outcome of each, once there is nothing left to do for any of them. */
      untilSettled: (notifications: readonly NotificationEvent[], timeout = 40_000): Promise<NotificationOutcome[]> =>
        vi.waitFor(
          async () => {
            const open = (await rowsOf(notifications)).filter(
              ({ status, retryable }) => status === 'READY' || retryable,
            )
            if (open.length > 0) throw new Error(`${open.length} deliveries are open: ${JSON.stringify(open[0])}`)
            return notifications.map((notification) => {
              const [newest] = outcomesOf(notification).sort((a, b) => b.revision - a.revision)
              // Revision 0 is what a dead letter is given; a replay's outcomes are the ledger's.
              if (!newest?.revision || newest.status === 'DEFERRED')
                throw new Error(`no outcome: ${JSON.stringify(newest)}`)
              return newest
            })
          },
          { timeout, interval: 100 },
        ),
      registerDevice: (deviceId: string, userId: string, { token = `token-${deviceId}`, consent = true } = {}) =>
        pool.query(
          "INSERT INTO devices (device_id, user_id, token, platform, push_consent) VALUES ($1, $2, $3, 'ANDROID', $4)",
          [deviceId, userId, token, consent],
        ),
      /** Notifications of as many new users, with a device each. */
      prepare: async (count: number, said: Partial<NotificationEvent> = {}): Promise<NotificationEvent[]> => {
        const notifications = Array.from({ length: count }, () => notificationFor(`user-${randomUUID()}`, said))
        const users = notifications.map(({ userId }) => userId)
        await pool.query(
          `INSERT INTO devices (device_id, user_id, token, platform, push_consent)
           SELECT 'device-' || u, u, 'token-' || u, 'ANDROID', true FROM unnest($1::text[]) u`,
          [users],
        )
        return notifications
      },
      /** How often the device of each user got something. */
      receivedBy: async (notifications: readonly NotificationEvent[]): Promise<number[]> => {
        const { tokens } = await fcm.report()
        return notifications.map(({ userId }) => tokens[`token-${userId}`]?.accepted ?? 0)
      },
    }
  }

  return {
    openLane,
    close: async (): Promise<void> => {
      await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp()))
      await Promise.allSettled([...consumers.map((one) => one.disconnect()), producer.disconnect(), admin.disconnect()])
    },
  }
}

/** An instance within this process. */
export interface HereInstance {
  metrics(): Promise<string>
  stop(): Promise<unknown>
}

export type SenderWorld = Awaited<ReturnType<typeof createSenderWorld>>
export type Lane = Awaited<ReturnType<SenderWorld['openLane']>>

/** A product of this test file's own; everything about it is known, and as good as it was told. */
export const sampleProductId = `P-${randomUUID()}`

export const notificationFor = (userId: string, said: Partial<NotificationEvent> = {}): NotificationEvent => ({
  notificationId: randomUUID(),
  userId,
  productId: sampleProductId,
  notificationType: 'PRICE_DROP',
  title: '가격이 떨어졌어요!',
  body: '운동화가 20% 할인 중입니다!',
  data: { currentPrice: '79.9' },
  channels: ['PUSH'],
  priority: 'HIGH',
  timestamp: Date.now(),
  eventId: 'event-1',
  eventTimestamp: Date.now(),
  expiresAt: Date.now() + 3_600_000,
  ...said,
})

const createDatabase = async (server: string, name: string): Promise<string> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end())
  const url = new URL(server)
  url.pathname = `/${name}`
  await migrate({ connection: { connectionString: url.href }, log: captureLog().log })
  return url.href
}

import { randomUUID } from 'node:crypto'
import { migrate } from '@dropbell/database/migrate'
import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import { readRun } from '@dropbell/database/recommendations/read-run'
import { createRecommendationControl } from '@dropbell/local-stack/recommendation-simulator/control-client'
import { type ServiceProcess, startServiceProcess } from '@dropbell/local-stack/service-process'
import type { Stack } from '@dropbell/local-stack/stack'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { systemClock } from '@dropbell/notification-producer/clock'
import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { indexTemplates } from '@dropbell/schemas/index-templates'
import type { RunAnswer, RunReport } from '@dropbell/schemas/recommendation-runs'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { notificationOutcomeTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import { loadConfig } from '@dropbell/shared/config'
import { createShutdown } from '@dropbell/shared/shutdown'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Client } from '@elastic/elasticsearch'
import { Redis } from 'ioredis'
import { Kafka, logLevel } from 'kafkajs'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { type AppParts, startApp } from '../app.ts'
import { recommendationSchedulerSchema } from '../service-config.ts'
import type { InstancePlan } from './run-as-instance.ts'

/** Nine in the morning in Seoul, on the day of all runs here, and the day. */
export const nine = Math.ceil(Date.now() / 86_400_000) * 86_400_000
export const day = new Date(nine).toISOString().slice(0, 10)

export const token = 'for-tests-and-nothing-else'

/** An instance that a test can talk to, in this process or in one of its own. */
export interface Instance {
  url: string
  metrics(): Promise<string>
  logLines(): readonly Record<string, unknown>[]
  stop(): Promise<unknown>
}

/** What lanes share. On the stack of the test run, whose engines must be left alone, unless it is given another. */
export const createSchedulerWorld = async (stack?: Stack) => {
  const env = { ...(stack?.env() ?? testEnv()) } as Record<string, string>
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const elasticsearch = new Client({ node: env.ELASTICSEARCH_URL as string })
  const admin = kafka.admin()
  await admin.connect()
  await registerSchemas(registry)
  const topics = [notificationPushTopic, notificationOutcomeTopic]
  await admin.createTopics({
    topics: topics.map(({ name, partitions }) => ({ topic: name, numPartitions: partitions })),
    waitForLeaders: false,
  })
  await vi.waitFor(async () => {
    const found = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => name) })
    expect(found.topics.flatMap((topic) => topic.partitions.filter(({ leader }) => leader >= 0))).toHaveLength(
      topics.reduce((sum, { partitions }) => sum + partitions, 0),
    )
  }, 10_000)

  const notifications: NotificationEvent[] = []
  const outcomes: NotificationOutcome[] = []
  const pushCodec = createCodec({ topic: notificationPushTopic, registry })
  const outcomeCodec = createCodec({ topic: notificationOutcomeTopic, registry })
  /** Up to where each partition of the push topic was collected. */
  const collected = new Map<number, number>()
  const consumer = kafka.consumer({ groupId: `collect-${randomUUID()}`, maxWaitTimeInMs: 50 })
  await consumer.connect()
  await consumer.subscribe({ topics: topics.map(({ name }) => name), fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ topic, partition, message: { value, offset } }) => {
      // Others write to them too, in their own ways.
      const [push] = topic === notificationPushTopic.name ? await pushCodec.decodeBatch([value]) : []
      const [outcome] = topic === notificationOutcomeTopic.name ? await outcomeCodec.decodeBatch([value]) : []
      if (push?.ok) notifications.push(push.value)
      if (outcome?.ok) outcomes.push(outcome.value)
      if (topic === notificationPushTopic.name) collected.set(partition, Number(offset) + 1)
    },
  })
  const cleanUps: (() => Promise<unknown>)[] = []
  /** Resolves when all that is in the push topic now was collected. */
  const untilCollected = async (): Promise<void> => {
    const ends = await admin.fetchTopicOffsets(notificationPushTopic.name)
    await vi.waitFor(
      () => {
        const missing = ends.filter(
          ({ partition, low, high }) => (collected.get(partition) ?? Number(low)) < Number(high),
        )
        expect(missing).toEqual([])
      },
      { timeout: 30_000, interval: 20 },
    )
  }

  /** A shop with users, tables, keys and a recommendation API of its own, and instances that serve it. */
  const openLane = async (overrides: Record<string, string> = {}) => {
    const name = `lane-${randomUUID().slice(0, 8)}`
    const database = await createDatabase(env.DATABASE_URL as string, name.replaceAll('-', '_'))
    const pool = new pg.Pool({ connectionString: database })
    pool.on('error', () => {})
    cleanUps.push(() => pool.end())
    const index = `behaviours-${name}`
    const { settings, mappings } = indexTemplates({ USER_BEHAVIOR_INDEX: index, PRODUCT_INDEX: '' }).userBehavior
      .template
    await elasticsearch.indices.create({ index, mappings, settings: { ...settings, number_of_shards: 1 } })
    cleanUps.push(() => elasticsearch.indices.delete({ index }))
    const api = createRecommendationControl(env.RECOMMENDATION_API_URL as string, name)
    const instances: (() => Promise<unknown>)[] = []
    const processes: ServiceProcess[] = []
    const serviceEnv = {
      ...env,
      ...{ DATABASE_URL: database, USER_BEHAVIOR_INDEX: index, RECOMMENDATION_API_URL: api.url },
      ...{ RECOMMENDATION_TRIGGER_TOKEN: token, RECOMMENDATION_LOCK_AT_LEAST_MS: '0' },
      // Runs are begun by hand, unless a test wants the schedule.
      ...{ RECOMMENDATION_CATCH_UP_UNTIL: 'off', RECOMMENDATION_BATCH_SIZE: '10', OPERATIONS_PORT: '0' },
      ...overrides,
    }
    // Whenever a test runs, it is half past nine in Seoul, where lanes have their schedule.
    const plan: InstancePlan = { prefix: name, aheadMs: nine + 1_800_000 - Date.now(), lookAgainMs: 500 }
    const ofLane = ({ userId }: { userId: string | null }): boolean => userId?.startsWith(`${name}-`) === true

    const ask = async <T>(instance: Pick<Instance, 'url'>, path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(`${instance.url}${path}`, { headers, ...init })
      return { status: response.status, body: (await response.json()) as T }
    }
    const trigger = (instance: Pick<Instance, 'url'>, body: object = {}) =>
      ask<RunAnswer>(instance, '/runs', { method: 'POST', body: JSON.stringify(body) })
    const run = (day: string): Promise<RecommendationRunRow | undefined> => readRun(pool, day)

    return {
      ...{ name, pool, api, index, run, elasticsearch },
      /** Of the instances here, from now on; of others when they start. */
      setClock: (time: number): void => {
        plan.aheadMs = time - Date.now()
      },
      userId: (n: number): string => `${name}-${String(n).padStart(4, '0')}`,
      /** As many users who did something an hour ago, or longer ago. */
      addUsers: async (from: number, to: number, ageMs = 3_600_000): Promise<string[]> => {
        const users = Array.from({ length: to - from }, (_, n) => `${name}-${String(from + n).padStart(4, '0')}`)
        const timestamp = Date.now() + plan.aheadMs - ageMs
        const operations = users.flatMap((userId, n) => {
          return [{ index: {} }, { userId, productId: `P-${n % 7}`, actionType: 'VIEW', timestamp }]
        })
        const { errors } = await elasticsearch.bulk({ index, operations, refresh: true })
        if (errors) throw new Error('a behaviour was not indexed')
        return users
      },
      /**
       * The API knows what to recommend to these users, and says nothing about all others until `answerAll`: a batch tells
       * these and then stands there for as long as a test needs. For that it may ask about more users at once than it has in hand.
       */
      answerOnly: async (known: readonly string[]): Promise<void> => {
        await api.script({ do: 'silence' })
        for (const userId of known) await api.script({ do: 'recommend' }, userId)
      },
      /** How many users hold a slot that keeps them from being told again. */
      slots: async (): Promise<number> => {
        const redis = new Redis(env.REDIS_URL as string)
        return (await redis.keys(`${name}:*:sent:*`).finally(() => redis.disconnect())).length
      },
      answerAll: () => api.script({ do: 'recommend' }),
      untilUsers: async (users: number): Promise<void> => {
        await vi.waitFor(async () => expect((await run(day))?.users).toBe(users), { timeout: 30_000, interval: 20 })
      },
      told: (): NotificationEvent[] => notifications.filter(ofLane),
      outcomes: (): NotificationOutcome[] => outcomes.filter(ofLane),

      /** An instance in a process of its own, to be killed or to stand still. */
      start: async (more: Record<string, string> = {}): Promise<ServiceProcess> => {
        const started = await startServiceProcess('services/recommendation-scheduler/src/testing/run-as-instance.ts', {
          ...serviceEnv,
          ...more,
          INSTANCE_PLAN: JSON.stringify(plan),
        })
        processes.push(started)
        return started
      },
      startHere: async (more: Record<string, string> = {}, parts: AppParts = {}): Promise<Instance> => {
        const { log, lines } = captureLog()
        const config = loadConfig(recommendationSchedulerSchema, { ...serviceEnv, ...more })
        const shutdown = createShutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, log })
        instances.push(shutdown.stop)
        const clock = { ...systemClock, now: () => Date.now() + plan.aheadMs }
        const { prefix, lookAgainMs } = plan
        const { operations } = await startApp(
          { config, log, shutdown, fail: () => {} },
          { prefix, lookAgainMs, clock, ...parts },
        )
        const url = `http://${operations.host}:${operations.port}`
        const metrics = async () => (await fetch(`${url}/metrics`)).text()
        return { url, metrics, logLines: lines, stop: shutdown.stop }
      },
      trigger,
      /** By hand, and not in vain. */
      begin: async (instance: Pick<Instance, 'url'>): Promise<void> => {
        const { status, body } = await trigger(instance)
        expect([status, body.result]).toEqual([202, 'started'])
      },
      report: (instance: Pick<Instance, 'url'>, day: string) => ask<RunReport>(instance, `/runs/${day}`),
      untilEnded: (day: string, timeout = 30_000): Promise<RecommendationRunRow> =>
        vi.waitFor(
          async () => {
            const found = await run(day)
            if (found === undefined || found.status === 'RUNNING')
              throw new Error(`not ended: ${JSON.stringify(found)}`)
            return found
          },
          { timeout, interval: 50 },
        ),
      stop: async (): Promise<void> => {
        await Promise.all(processes.splice(0).map((running) => running.kill()))
        await Promise.all(instances.splice(0).map((stop) => stop()))
      },
    }
  }

  return {
    admin,
    kafka,
    openLane,
    untilCollected,
    /** As another producer does. */
    publish: async (notification: NotificationEvent): Promise<void> => {
      const producer = kafka.producer()
      await producer.connect()
      const [value] = await pushCodec.encodeBatch([notification])
      const messages = [{ key: notification.userId, value: value as Buffer }]
      await producer.send({ topic: notificationPushTopic.name, messages }).finally(() => producer.disconnect())
    },
    close: async (): Promise<void> => {
      await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp()))
      await Promise.allSettled([consumer.disconnect(), admin.disconnect(), elasticsearch.close()])
    },
  }
}

export type SchedulerWorld = Awaited<ReturnType<typeof createSchedulerWorld>>
export type Lane = Awaited<ReturnType<SchedulerWorld['openLane']>>

/** A notification may be written twice; whoever sends it knows it by its id. */
export const idsByUser = (told: readonly NotificationEvent[]): Map<string, Set<string>> => {
  const ids = new Map<string, Set<string>>()
  for (const { userId, notificationId } of told) ids.set(userId, (ids.get(userId) ?? new Set()).add(notificationId))
  return ids
}

const createDatabase = async (server: string, name: string): Promise<string> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`).finally(() => client.end())
  const url = new URL(server)
  url.pathname = `/${name}`
  await migrate({ connection: { connectionString: url.href }, log: captureLog().log })
  return url.href
}

/** The value of one series. */
export const metricOf = (metrics: string, name: string, labels = ''): number => {
  const line = metrics.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(labels))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

import { randomUUID } from 'node:crypto'
import {
  createFcmControl,
  type FcmControl,
  type TokenMessage,
} from '@dropbell/local-stack/fcm-simulator/control-client'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { runFromSource } from '@dropbell/local-stack/run-from-source'
import { type ServiceProcess, startServiceProcess } from '@dropbell/local-stack/service-process'
import type { Stack } from '@dropbell/local-stack/stack'
import { createCodec } from '@dropbell/schemas/codec'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { dlqNameOf, notificationPushTopic, productInventoryTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import { toDeadLetter } from '@dropbell/shared/kafka/consumer/dead-letter'
import { createTopicReader } from '@dropbell/shared/kafka/topic-reader'
import { createLogger } from '@dropbell/shared/log'
import { type Admin, type KafkaMessage, type Message, Partitioners } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectToStack } from './connect-to-stack.ts'
import { middayZone } from './midday-zone.ts'
import { prepareEngines } from './prepare-engines.ts'
import { openShop, type Shop } from './shop.ts'
import { tokenOf } from './show-pushes.ts'

const log = createLogger({ level: 'fatal', service: 'replay', destination: process.stderr })
const inTime = { timeout: 120_000, interval: 200 }
const dlq = dlqNameOf(productInventoryTopic.name)
const pushDlq = dlqNameOf(notificationPushTopic.name)

let stack: Stack
let env: Record<string, string>
let engines: ReturnType<typeof connectToStack>
let admin: Admin
let fcm: FcmControl
let shop: Shop
let services: [pushSender: ServiceProcess, ...others: ServiceProcess[]]

beforeAll(async () => {
  stack = await startIsolatedStack()
  env = { ...stack.env(), FCM_PROJECT_ID: `replay-${randomUUID().slice(0, 8)}` }
  engines = connectToStack(env, log)
  await prepareEngines(engines, env, log)
  shop = await openShop(engines.elasticsearch.client, engines.postgres.client)
  await engines.postgres.client.query(
    "INSERT INTO user_info (user_id, timezone) SELECT user_id, $1 FROM devices WHERE user_id LIKE 'fan-%'",
    [middayZone()],
  )
  fcm = createFcmControl(env.FCM_ENDPOINT as string, env.FCM_PROJECT_ID as string)
  admin = engines.kafka.client.admin()
  await admin.connect()
  // Small chunks: an outage costs the records in hand, and some are to be still in the topic then.
  const own = { ...env, CONSUMER_MAX_BATCH_RECORDS: '2' }
  const start = (name: string) => startServiceProcess(`services/${name}/src/main.ts`, own)
  services = await Promise.all([start('push-sender'), start('inventory-consumer')])
})
afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service.kill()))
  await admin?.disconnect()
  await Promise.allSettled(Object.values(engines ?? {}).map(({ close }) => close()))
  await stack?.reset()
})

/** Records as they are, each to its partition. */
const send = async (topic: string, messages: Message[]): Promise<void> => {
  const producer = engines.kafka.client.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  await producer.send({ topic, acks: -1, messages }).finally(() => producer.disconnect())
}

const publish = async (events: readonly ProductInventoryEvent[], partitions: readonly number[] = []): Promise<void> => {
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const values = await createCodec({ topic: productInventoryTopic, registry }).encodeBatch(events)
  const messages = events.map((event, index) => ({
    key: event.productId,
    value: values[index] as Buffer,
    ...(partitions[index] !== undefined && { partition: partitions[index] }),
  }))
  await send(productInventoryTopic.name, messages)
}

const dropbell = async (...args: string[]) => {
  const { code, stdout, stderr } = await runFromSource('packages/cli/src/main.ts', [...args, '--json'], env).result
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout)
}

const replay = (topic: string, ...args: string[]) => dropbell('dlq', 'replay', topic, '--yes', ...args)

/** One price drop in each partition, of products that one new user looked at: what was written before it is handled then. */
const untilHandled = async (): Promise<void> => {
  const run = randomUUID().slice(0, 8)
  const userIds = Array.from({ length: productInventoryTopic.partitions }, (_, n) => `marker-${run}-${n}`)
  const productIds = userIds.map((userId) => `of-${userId}`)
  const timestamp = Date.now() - 60_000
  await engines.elasticsearch.client.bulk({
    refresh: true,
    operations: userIds.flatMap((userId, n) => [
      { index: { _index: 'user_behavior_index' } },
      { productId: productIds[n], userId, actionType: 'VIEW', timestamp },
    ]),
  })
  await engines.postgres.client.query(
    `INSERT INTO devices (device_id, user_id, token, platform, push_consent)
     SELECT 'phone-' || u, u, 'token-' || u, 'ANDROID', true FROM unnest($1::text[]) u`,
    [userIds],
  )
  const [sample] = shop.events as [ProductInventoryEvent]
  const markers = productIds.map((productId) => ({
    ...sample,
    productId,
    eventId: randomUUID(),
    timestamp: Date.now(),
  }))
  await publish(
    markers,
    userIds.map((_, n) => n),
  )
  await vi.waitFor(async () => {
    const tokens = new Set((await fcm.messages()).map(({ token }) => token))
    expect(userIds.every((userId) => tokens.has(tokenOf(userId)))).toBe(true)
    expect(await unsentNotifications()).toBe(0)
  }, inTime)
  // What is left in the ledger to be sent is sent by the poller: by its second round from now it has looked at all of it.
  const rounds = await pollRounds()
  await vi.waitFor(async () => expect(await pollRounds()).toBeGreaterThanOrEqual(rounds + 2), inTime)
}

const pollRounds = async (): Promise<number> => {
  const metrics = await services[0].metrics()
  const found = /^dropbell_delivery_polls_total\{.*poller="PUSH",outcome="ok".*\} (\d+)$/m.exec(metrics)
  return Number(found?.[1])
}

const unsentNotifications = async (): Promise<number> => {
  const { name } = notificationPushTopic
  const [committed] = await admin.fetchOffsets({ groupId: sharedGroupOf(notificationPushTopic), topics: [name] })
  const ends = await admin.fetchTopicOffsets(name)
  return ends.reduce((sum, { partition, high, low }) => {
    const offset = Number(committed?.partitions.find((each) => each.partition === partition)?.offset ?? -1)
    return sum + Number(high) - Math.max(offset, Number(low))
  }, 0)
}

const pushesOfTheShop = async (): Promise<string[]> => {
  const ofShop = new Set(shop.events.map(({ productId }) => productId))
  const about = ({ token, data }: TokenMessage): string => `${token} ${data?.productId} ${data?.type}`
  return (await fcm.messages())
    .filter(({ data }) => ofShop.has(data?.productId ?? ''))
    .map(about)
    .sort()
}

describe('events that became dead letters because Redis was away', () => {
  it('tell everybody after a replay, and nobody twice however often all of it is replayed', async () => {
    await stack.engine('redis').stop()
    await publish(shop.events)
    const waiting = async (): Promise<number> => (await dropbell('dlq', 'list', dlq)).selected
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), inTime)
    expect(await pushesOfTheShop()).toEqual([])
    await stack.engine('redis').start()
    await untilHandled()

    const given = await waiting()
    const { reasons } = await dropbell('dlq', 'replay', dlq)
    expect(reasons.map(({ value }: { value: string }) => value)).toEqual(['TransientError.PRODUCT_STATE_UNAVAILABLE'])
    expect((await replay(dlq)).counts).toEqual({ replayed: given, quarantined: 0, dismissed: 0 })
    await untilHandled()
    const told = await pushesOfTheShop()
    // 30 visitors of the sneakers who did not opt out and have no quiet hours now, 12 with the backpack in their cart, ten for the fan of eleven; one
    // visitor hears of both products on two phones.
    expect(told).toHaveLength(30 + 12 + 10 + 2)
    expect(new Set(told).size).toBe(told.length)

    for (let times = 0; times < 2; times++) {
      expect((await replay(dlq, '--again')).counts.replayed).toBe(given)
      await untilHandled()
      expect(await pushesOfTheShop()).toEqual(told)
    }
    expect((await dropbell('dlq', 'runs', dlq)).runs).toHaveLength(3)
    expect(await waiting()).toBe(0)
  })
})

describe('notifications that became dead letters although they were sent', () => {
  it('are told to nobody twice, by the ledger alone', async () => {
    const told = await pushesOfTheShop()
    const published = await recordsOf(notificationPushTopic.name)
    await send(
      pushDlq,
      published.map((record) => {
        const { topic: _topic, ...letter } = toDeadLetter({ ...record, error: lost, attempts: 4 }, '.dlq')
        return letter as Message
      }),
    )
    await forgetSlots()
    const before = await planned()
    expect((await replay(pushDlq)).counts.replayed).toBe(published.length)
    await untilHandled()
    expect(await pushesOfTheShop()).toEqual(told)
    expect(await planned()).toBe(before + productInventoryTopic.partitions)
  })
})

const lost = new PermanentError('LOST', 'nobody knows how it ended')

const recordsOf = async (topic: string) => {
  const reader = createTopicReader(engines.kafka.client, { brokers: [env.KAFKA_BROKERS as string] })
  const records: { topic: string; partition: number; message: KafkaMessage; groupId: string }[] = []
  for await (const { partition, messages } of reader.read(topic, await reader.extentOf(topic))) {
    const groupId = sharedGroupOf(notificationPushTopic)
    records.push(...messages.map((message) => ({ topic, partition, message, groupId })))
  }
  await reader.close()
  return records
}

/** Everything that the gate keeps of users. */
const forgetSlots = async (): Promise<void> => {
  const { client } = engines.redis
  const kept = [...(await client.keys('dropbell:*:sent:*')), ...(await client.keys('dropbell:*:daily:*'))]
  expect(kept.length).toBeGreaterThan(0)
  await client.del(...kept)
}

const planned = async (): Promise<number> => {
  const { rows } = await engines.postgres.client.query('SELECT count(*)::int AS many FROM notifications')
  return rows[0].many
}

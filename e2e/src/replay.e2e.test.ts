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
import { createLogger } from '@dropbell/shared/log'
import { type Admin, Partitioners } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectToStack } from './connect-to-stack.ts'
import { prepareEngines } from './prepare-engines.ts'
import { openShop, type Shop } from './shop.ts'
import { tokenOf } from './show-pushes.ts'

const log = createLogger({ level: 'fatal', service: 'replay', destination: process.stderr })
const inTime = { timeout: 120_000, interval: 200 }
const dlq = dlqNameOf(productInventoryTopic.name)

let stack: Stack
let env: Record<string, string>
let engines: ReturnType<typeof connectToStack>
let admin: Admin
let fcm: FcmControl
let shop: Shop
let services: ServiceProcess[] = []

beforeAll(async () => {
  stack = await startIsolatedStack()
  env = { ...stack.env(), FCM_PROJECT_ID: `replay-${randomUUID().slice(0, 8)}` }
  engines = connectToStack(env, log)
  await prepareEngines(engines, env, log)
  shop = await openShop(engines.elasticsearch.client, engines.postgres.client)
  fcm = createFcmControl(env.FCM_ENDPOINT as string, env.FCM_PROJECT_ID as string)
  admin = engines.kafka.client.admin()
  await admin.connect()
  // Small chunks: an outage costs the records in hand, and some are to be still in the topic then.
  const own = { ...env, CONSUMER_MAX_BATCH_RECORDS: '2' }
  services = await Promise.all(
    ['push-sender', 'inventory-consumer'].map((name) => startServiceProcess(`services/${name}/src/main.ts`, own)),
  )
})
afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()))
  await admin?.disconnect()
  await Promise.allSettled(Object.values(engines ?? {}).map(({ close }) => close()))
  await stack?.reset()
})

const publish = async (events: readonly ProductInventoryEvent[], partitions: readonly number[] = []): Promise<void> => {
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const values = await createCodec({ topic: productInventoryTopic, registry }).encodeBatch(events)
  const producer = engines.kafka.client.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const messages = events.map((event, index) => ({
    key: event.productId,
    value: values[index] as Buffer,
    ...(partitions[index] !== undefined && { partition: partitions[index] }),
  }))
  await producer.send({ topic: productInventoryTopic.name, acks: -1, messages }).finally(() => producer.disconnect())
}

const dropbell = async (...args: string[]) => {
  const { code, stdout, stderr } = await runFromSource('packages/cli/src/main.ts', [...args, '--json'], env).result
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return JSON.parse(stdout)
}

const replay = (...args: string[]) => dropbell('dlq', 'replay', dlq, '--yes', ...args)

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
    expect((await replay()).counts).toEqual({ replayed: given, quarantined: 0, dismissed: 0 })
    await untilHandled()
    const told = await pushesOfTheShop()
    // 30 visitors of the sneakers who did not opt out and have no quiet hours now, 12 with the backpack in their cart, ten for the fan of eleven; one
    // visitor hears of both products on two phones.
    expect(told).toHaveLength(30 + 12 + 10 + 2)
    expect(new Set(told).size).toBe(told.length)

    for (let times = 0; times < 2; times++) {
      expect((await replay('--again')).counts.replayed).toBe(given)
      await untilHandled()
      expect(await pushesOfTheShop()).toEqual(told)
    }
    expect((await dropbell('dlq', 'runs', dlq)).runs).toHaveLength(3)
    expect(await waiting()).toBe(0)
  })
})

import { setTimeout as delay } from 'node:timers/promises'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { notificationPushTopic, productInventoryTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { createConsumerLag } from '@dropbell/shared/kafka/consumer-lag'
import { readTextHeader, recordHeaders } from '@dropbell/shared/kafka/headers'
import type { ConfigResourceTypes, KafkaMessage } from 'kafkajs'
import type { Bench, Sample, Say } from './bench.ts'
import { type BenchWorld, numbered, openBenchWorld, priceDropOf, waitUntil } from './bench-world.ts'
import { readRecords } from './read-records.ts'

const USERS_PER_PRODUCT = 5
const HOT_USERS = 200_000
const HOT_PRODUCT = 'hot'
const WARM_UP_EVENTS = 2_000
const CALM = { perSecond: 100, seconds: 15 }
const FIRST_RATE = { perSecond: 1_000, seconds: 30 }
const HIGHER_RATES = [1_500, 2_000, 3_000, 4_000].map((perSecond) => ({ perSecond, seconds: 10 }))
const LOWER_RATES = [750, 500, 250].map((perSecond) => ({ perSecond, seconds: 10 }))
const PRODUCTS = WARM_UP_EVENTS + 2 * 60 * 100 + 30_000 + 105_000
const TICK_MS = 20
// kafkajs's CommonJS exports hide the enum from an import by name.
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2

interface Rate {
  readonly perSecond: number
  readonly seconds: number
}

export const eventsBench: Bench = {
  name: 'events',
  compares:
    'inventory events with 5 interested users each: how many a second without growing lag, and how long from event to publish at 100 a second, alone and beside a fan-out to 200,000 users',
  expected: {
    sustainedPerSecond: { atLeast: 1_000 },
    p99Ms: { atMost: 500 },
    p99DuringFanoutMs: { atMost: 1_000 },
  },
  async start(say) {
    const world = await openBenchWorld(say)
    try {
      say(`indexing ${(PRODUCTS * USERS_PER_PRODUCT + HOT_USERS).toLocaleString('en')} behaviours`)
      await world.indexBehaviors(audiences())
      await world.engines.elasticsearch.client.indices.forcemerge({ index: 'user_behavior_index' })
      await useBrokerTime(world)
    } catch (error) {
      await world.close()
      throw error
    }
    return { round: () => measure(world, say), stop: world.close }
  },
}

function* audiences() {
  for (let product = 0; product < PRODUCTS; product++) {
    for (let user = 0; user < USERS_PER_PRODUCT; user++) {
      yield { productId: numbered('product', product), userId: numbered('user', product * USERS_PER_PRODUCT + user) }
    }
  }
  for (let user = 0; user < HOT_USERS; user++) yield { productId: HOT_PRODUCT, userId: numbered('fan', user) }
}

/** The time of a notification is then when the broker wrote it, not when we began to send it. */
async function useBrokerTime({ admin }: BenchWorld): Promise<void> {
  const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }]
  const name = notificationPushTopic.name
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: TOPIC_RESOURCE, name, configEntries }],
  })
}

async function measure(world: BenchWorld, say: Say): Promise<Sample> {
  await world.restartService({ PACING_MAX_LAG: '0' })
  const load = createLoad(world)
  try {
    await load.run({ perSecond: 500, seconds: WARM_UP_EVENTS / 500 })
    await load.drain()

    say(`${CALM.perSecond} events a second`)
    const calm = await withLatencies(world, load, () => load.run(CALM))

    say(`${CALM.perSecond} events a second beside a fan-out`)
    const besideFanout = await withLatencies(world, load, async () => {
      const before = await world.countRecords(notificationPushTopic.name)
      await world.publish([priceDropOf(HOT_PRODUCT)])
      let published = 0
      const isTold = async () =>
        (await world.countRecords(notificationPushTopic.name)) - before >= HOT_USERS + published * USERS_PER_PRODUCT
      do published += await load.run({ perSecond: CALM.perSecond, seconds: 2 })
      while (!(await isTold()))
      return published
    })
    return {
      ratios: {},
      figures: {
        p50Ms: percentile(calm, 0.5),
        p99Ms: percentile(calm, 0.99),
        p50DuringFanoutMs: percentile(besideFanout, 0.5),
        p99DuringFanoutMs: percentile(besideFanout, 0.99),
        sustainedPerSecond: await findSustained(load, say),
      },
    }
  } finally {
    await load.close()
    await world.stopService()
  }
}

type Load = ReturnType<typeof createLoad>

/** Price drops of products of which nobody was told yet, at a rate. */
function createLoad(world: BenchWorld) {
  const lag = createConsumerLag({
    kafka: world.engines.kafka.client,
    groupId: sharedGroupOf(productInventoryTopic),
    topic: productInventoryTopic.name,
    requireConsumer: false,
  })
  let nextProduct = 0
  const nextEvents = (count: number): ProductInventoryEvent[] =>
    Array.from({ length: count }, () => priceDropOf(numbered('product', nextProduct++)))

  return {
    lag: lag.read,
    close: lag.close,
    /** Answers with the number of events. */
    async run({ perSecond, seconds }: Rate): Promise<number> {
      const startedAt = performance.now()
      const total = perSecond * seconds
      let published = 0
      while (published < total) {
        const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * perSecond))
        if (due > published) await world.publish(nextEvents(due - published))
        published = Math.max(published, due)
        await delay(TICK_MS)
      }
      return total
    },
    async drain(): Promise<void> {
      await waitUntil(async () => (await lag.read()) === 0, 'all events are read', 120_000)
    },
  }
}

/** Raised until the service falls behind by more than a second's events; lowered if it cannot do the first. */
async function findSustained(load: Load, say: Say): Promise<number> {
  const isSustained = async (rate: Rate): Promise<boolean> => {
    await load.drain()
    say(`${rate.perSecond.toLocaleString('en')} events a second for ${rate.seconds} s`)
    await load.run(rate)
    return (await load.lag()) <= rate.perSecond
  }
  if (!(await isSustained(FIRST_RATE))) {
    for (const rate of LOWER_RATES) if (await isSustained(rate)) return rate.perSecond
    return 0
  }
  let sustained = FIRST_RATE.perSecond
  for (const rate of HIGHER_RATES) {
    if (!(await isSustained(rate))) break
    sustained = rate.perSecond
  }
  return sustained
}

/** From the event to the broker, in milliseconds, of everything but the hot product. */
async function withLatencies(world: BenchWorld, load: Load, work: () => Promise<number>): Promise<number[]> {
  const topic = notificationPushTopic.name
  const from = await world.admin.fetchTopicOffsets(topic)
  const events = await work()
  await load.drain() // An offset is committed when its notifications are acknowledged.
  const records = await readRecords(world.engines.kafka.client, topic, from)
  const latencies = records.filter(({ key }) => !String(key).startsWith('fan')).map(latencyOf)
  if (latencies.length !== events * USERS_PER_PRODUCT)
    throw new Error(`${latencies.length} notifications of ${events} events`)
  return latencies
}

function latencyOf({ timestamp, headers = {} }: KafkaMessage): number {
  return Number(timestamp) - Number(readTextHeader(headers, recordHeaders.eventTimestamp))
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

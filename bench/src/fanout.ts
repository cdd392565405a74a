import { notificationPushTopic } from '@dropbell/schemas/topics'
import { chunksOf } from '@dropbell/shared/chunks-of'
import { type KafkaMessage, type Message, Partitioners } from 'kafkajs'
import type { Bench, Sample } from './bench.ts'
import { type BenchWorld, numbered, openBenchWorld, priceDropOf, waitUntil } from './bench-world.ts'
import { readRecords } from './read-records.ts'
import { watchMemory } from './watch-memory.ts'

const USERS = 100_000
const MANY_USERS = 1_000_000
const BATCH = 500
const RAW_TOPIC = 'bench.raw.v1'
const WARM_UP = { product: 'warm-up', users: 20_000 }
const AUDIENCES = { hot: USERS, hotter: MANY_USERS, [WARM_UP.product]: WARM_UP.users }

const SERVICE = {
  PACING_MAX_LAG: '0',
  NOTIFICATION_BATCH_SIZE: String(BATCH),
  NODE_OPTIONS: '--max-old-space-size=256',
}

export const fanoutBench: Bench = {
  name: 'fanout',
  compares:
    'one price drop told to 100,000 users by the whole service, pacing off, with kafkajs alone producing the same bytes in the same batches; and the memory of telling 1,000,000',
  expected: { raw: { atLeast: 0.25 }, extraMemoryMB: { atMost: 60 } },
  async start(say) {
    const world = await openBenchWorld(say)
    try {
      for (const [product, users] of Object.entries(AUDIENCES)) {
        say(`indexing ${users.toLocaleString('en')} behaviours`)
        await world.indexBehaviors(audience(product, users))
      }
      await world.engines.elasticsearch.client.indices.forcemerge({ index: 'user_behavior_index' })
      const numPartitions = notificationPushTopic.partitions
      await world.admin.createTopics({ topics: [{ topic: RAW_TOPIC, numPartitions }], waitForLeaders: true })
    } catch (error) {
      await world.close()
      throw error
    }
    return { round: () => measure(world, say), stop: world.close }
  },
}

function* audience(productId: string, users: number) {
  for (let n = 0; n < users; n++) yield { productId, userId: numbered(`${productId}-user`, n) }
}

async function measure(world: BenchWorld, say: (text: string) => void): Promise<Sample> {
  say('telling 100,000 users')
  const from = await world.admin.fetchTopicOffsets(notificationPushTopic.name)
  const ours = await tell(world, 'hot', USERS)
  say('producing the same bytes with kafkajs alone')
  const messages = await readRecords(world.engines.kafka.client, notificationPushTopic.name, from)
  const rawPerSecond = await produceRaw(world, inOrderOf('hot', messages))
  say('telling 1,000,000 users')
  const many = await tell(world, 'hotter', MANY_USERS)
  return {
    ratios: { raw: ours.perSecond / rawPerSecond },
    figures: {
      usersPerSecond: ours.perSecond,
      rawPerSecond,
      usersPerSecondOfMillion: many.perSecond,
      peakMemoryMB: ours.peakMemoryMB,
      peakMemoryOfMillionMB: many.peakMemoryMB,
      extraMemoryMB: many.peakMemoryMB - ours.peakMemoryMB,
    },
  }
}

/** From the event until the last of its notifications is in the topic, by a service that has told others before. */
async function tell(world: BenchWorld, product: string, users: number) {
  const service = await world.restartService(SERVICE)
  await tellAll(world, WARM_UP.product, WARM_UP.users)
  const memory = watchMemory(service)
  const startedAt = performance.now()
  await tellAll(world, product, users)
  const seconds = (performance.now() - startedAt) / 1_000
  const peakMemoryMB = await memory.peakMB()
  await world.stopService()
  return { perSecond: users / seconds, peakMemoryMB }
}

async function tellAll(world: BenchWorld, product: string, users: number): Promise<void> {
  const before = await world.countRecords(notificationPushTopic.name)
  await world.publish([priceDropOf(product)])
  const told = async () => (await world.countRecords(notificationPushTopic.name)) >= before + users
  await waitUntil(told, `${users} users are told`)
}

/** As they were sent: users in order, each batch for all partitions. */
function inOrderOf(product: string, messages: readonly KafkaMessage[]): KafkaMessage[] {
  return messages
    .filter(({ key }) => String(key).startsWith(`${product}-user`))
    .sort((one, other) => Buffer.compare(one.key as Buffer, other.key as Buffer))
}

async function produceRaw({ engines }: BenchWorld, messages: readonly Message[]): Promise<number> {
  const producer = engines.kafka.client.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  })
  const produce = async (part: readonly Message[]): Promise<void> => {
    for (const batch of chunksOf(part, BATCH)) {
      await producer.send({ topic: RAW_TOPIC, acks: -1, messages: [...batch] })
    }
  }
  await producer.connect()
  try {
    await produce(messages.slice(0, WARM_UP.users))
    const startedAt = performance.now()
    await produce(messages)
    return messages.length / ((performance.now() - startedAt) / 1_000)
  } finally {
    await producer.disconnect()
  }
}

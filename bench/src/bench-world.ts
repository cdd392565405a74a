import { setTimeout as delay } from 'node:timers/promises'
import { connectToStack } from '@dropbell/e2e/connect-to-stack'
import { prepareEngines } from '@dropbell/e2e/prepare-engines'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { type ServiceProcess, startServiceProcess } from '@dropbell/local-stack/service-process'
import { createCodec } from '@dropbell/schemas/codec'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { productInventoryTopic } from '@dropbell/schemas/topics'
import { createLogger } from '@dropbell/shared/log'
import { Partitioners } from 'kafkajs'
import type { Say } from './bench.ts'

const BEHAVIORS_PER_REQUEST = 20_000

/** Nobody is to be told twice in an hour, so every round needs users who were told nothing: Redis forgets, and the service is new. */
export type BenchWorld = Awaited<ReturnType<typeof openBenchWorld>>

/** Engines of its own with topics, schemas, tables and indices, and the service as production runs it. */
export async function openBenchWorld(say: Say) {
  say('starting the engines')
  const stack = await startIsolatedStack()
  const env = stack.env()
  const log = createLogger({ level: 'fatal', service: 'bench', destination: process.stderr })
  const engines = connectToStack(env, log)
  const admin = engines.kafka.client.admin()
  const producer = engines.kafka.client.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const codec = createCodec({ topic: productInventoryTopic, registry })
  let service: ServiceProcess | undefined

  async function close(): Promise<void> {
    await service?.kill()
    await Promise.allSettled([producer.disconnect(), admin.disconnect()])
    await Promise.allSettled(Object.values(engines).map((engine) => engine.close()))
    await stack.reset()
  }
  try {
    await prepareEngines(engines, env, log)
    await Promise.all([admin.connect(), producer.connect()])
  } catch (error) {
    await close()
    throw error
  }

  async function indexBehaviors(
    behaviors: Iterable<{ productId: string; userId: string }>,
    index = 'user_behavior_index',
  ): Promise<void> {
    const timestamp = Date.now() - 60_000
    let operations: object[] = []
    const flush = async () => {
      if (operations.length === 0) return
      const { errors } = await engines.elasticsearch.client.bulk({ index, operations }, { requestTimeout: 120_000 })
      if (errors) throw new Error('a behaviour was not indexed')
      operations = []
    }
    for (const behavior of behaviors) {
      operations.push({ index: {} }, { ...behavior, actionType: 'VIEW', timestamp })
      if (operations.length >= 2 * BEHAVIORS_PER_REQUEST) await flush()
    }
    await flush()
    await engines.elasticsearch.client.indices.refresh({ index })
  }

  return {
    env,
    engines,
    admin,
    registry,
    indexBehaviors,

    /** A new service on a Redis that knows nobody. */
    async restartService(variables: Record<string, string>): Promise<ServiceProcess> {
      await service?.stop()
      await engines.redis.client.flushall()
      service = await startServiceProcess('services/inventory-consumer/src/main.ts', { ...env, ...variables })
      return service
    },

    async stopService(): Promise<void> {
      await service?.stop()
      service = undefined
    },

    async publish(events: readonly ProductInventoryEvent[]): Promise<void> {
      const values = await codec.encodeBatch(events)
      const messages = events.map((event, index) => ({ key: event.productId, value: values[index] as Buffer }))
      await producer.send({ topic: productInventoryTopic.name, acks: -1, messages })
    },

    /** How many records were ever written to a topic. */
    async countRecords(topic: string): Promise<number> {
      return (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0)
    },

    close,
  }
}

export async function waitUntil(condition: () => Promise<boolean>, what: string, timeoutMs = 600_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${what}`)
    await delay(50)
  }
}

export const numbered = (prefix: string, number: number): string => `${prefix}-${String(number).padStart(7, '0')}`

let events = 0

export const priceDropOf = (productId: string): ProductInventoryEvent => ({
  eventId: `bench-${process.pid}-${++events}`,
  productId,
  eventType: 'PRICE_CHANGE',
  previousPrice: 99.9,
  currentPrice: 79.9,
  previousStock: null,
  currentStock: null,
  timestamp: Date.now(),
})

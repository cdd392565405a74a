import { randomUUID } from 'node:crypto'
import { topicsConfig } from '@dropbell/cli/config'
import { applyTopics } from '@dropbell/cli/topics/apply-topics'
import { planFromConfig } from '@dropbell/cli/topics/plan-from-config'
import { createCodec } from '@dropbell/schemas/codec'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { toShortestFloat32 } from '@dropbell/schemas/price'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { productInventoryTopic } from '@dropbell/schemas/topics'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { type Kafka, Partitioners } from 'kafkajs'
import { collectRecords } from './collect-records.ts'

/** What the other teams would publish: a price drop, a restock, and something nobody needs to hear about. */
const sampleEvents = (): ProductInventoryEvent[] => {
  const event = (productId: string, change: Partial<ProductInventoryEvent>): ProductInventoryEvent => ({
    eventId: randomUUID(),
    productId,
    eventType: 'PRICE_CHANGE',
    previousPrice: null,
    currentPrice: null,
    previousStock: null,
    currentStock: null,
    timestamp: Date.now(),
    ...change,
  })
  return [
    event('sneakers-42', { previousPrice: 99.9, currentPrice: 79.9 }),
    event('backpack-7', { eventType: 'STOCK_CHANGE', previousStock: 0, currentStock: 12 }),
    event('mug-3', { eventType: 'PRODUCT_UPDATE' }),
  ]
}

export interface ContractsShown {
  topics: number
  subjects: string[]
  /** The sample events as a reader got them. */
  events: ProductInventoryEvent[]
}

/** Topics, schemas, and sample events that go in as objects and come out as typed objects. */
export const showContracts = async (kafka: Kafka, registryUrl: string): Promise<ContractsShown> => {
  const admin = kafka.admin()
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await Promise.all([admin.connect(), producer.connect()])
  try {
    const plan = planFromConfig(loadConfig(defineConfig(topicsConfig), {}))
    await applyTopics(admin, plan, { dryRun: false, onProgress: () => {} })
    const registry = createRegistryClient({ url: registryUrl })
    const registered = await registerSchemas(registry)

    const codec = createCodec({ topic: productInventoryTopic, registry })
    const sent = sampleEvents()
    const values = await codec.encodeBatch(sent)
    const messages = sent.map((event, i) => ({ key: productInventoryTopic.keyOf(event), value: values[i] as Buffer }))
    await producer.send({ topic: productInventoryTopic.name, acks: -1, messages })

    const ours = new Set(sent.map(({ eventId }) => eventId))
    const events = await collectRecords(kafka, productInventoryTopic.name, sent.length, async (value) => {
      const event = await codec.decode(value)
      return ours.has(event.eventId) ? event : undefined
    })
    return { topics: plan.length, subjects: registered.map(({ subject }) => subject), events }
  } finally {
    await Promise.all([producer.disconnect(), admin.disconnect()])
  }
}

export const describeChange = ({ eventType, ...event }: ProductInventoryEvent): string => {
  const price = (value: number | null): string => (value === null ? '?' : String(toShortestFloat32(value)))
  if (eventType === 'PRICE_CHANGE') return `price ${price(event.previousPrice)} → ${price(event.currentPrice)}`
  if (eventType === 'STOCK_CHANGE') return `stock ${event.previousStock} → ${event.currentStock}`
  return 'other data'
}

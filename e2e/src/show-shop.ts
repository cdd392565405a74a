import { createCodec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import type { SchemaRegistry } from '@dropbell/schemas/schema-registry'
import { notificationPushTopic, productInventoryTopic } from '@dropbell/schemas/topics'
import { type Kafka, Partitioners } from 'kafkajs'
import { collectRecords } from './collect-records.ts'
import { type Funnel, untilEventsHandled } from './funnel.ts'
import type { Shop } from './shop.ts'

export interface ShownShop {
  /** The events as any reader of the topic gets them. */
  events: ProductInventoryEvent[]
  funnel: Funnel
  notifications: NotificationEvent[]
}

/** Publishes what happens in the shop, as other teams would, and follows it to the notifications. */
export const showShop = async (
  kafka: Kafka,
  registry: SchemaRegistry,
  { events }: Shop,
  readMetrics: () => Promise<string>,
): Promise<ShownShop> => {
  const inventory = createCodec({ topic: productInventoryTopic, registry })
  const values = await inventory.encodeBatch(events)
  const messages = events.map((event, i) => ({ key: productInventoryTopic.keyOf(event), value: values[i] as Buffer }))
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  await producer.send({ topic: productInventoryTopic.name, acks: -1, messages }).finally(() => producer.disconnect())

  const ours = new Set<string | null>(events.map(({ eventId }) => eventId))
  const read = await collectRecords(kafka, productInventoryTopic.name, events.length, async (value) => {
    const event = await inventory.decode(value)
    return ours.has(event.eventId) ? event : undefined
  })
  const funnel = await untilEventsHandled(readMetrics, events.length)
  const push = createCodec({ topic: notificationPushTopic, registry })
  const notifications = await collectRecords(kafka, notificationPushTopic.name, funnel.admitted, async (value) => {
    const notification = await push.decode(value)
    return ours.has(notification.eventId) ? notification : undefined
  })
  return { events: read, funnel, notifications }
}

export const describeChange = ({ eventType, ...event }: ProductInventoryEvent): string => {
  if (eventType === 'PRICE_CHANGE') return `price ${event.previousPrice} → ${event.currentPrice}`
  if (eventType === 'STOCK_CHANGE') return `stock ${event.previousStock} → ${event.currentStock}`
  return 'other data'
}

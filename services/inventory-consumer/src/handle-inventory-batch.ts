import type { ProduceNotifications } from '@dropbell/notification-producer/produce-notifications'
import type { Trigger } from '@dropbell/notification-producer/trigger'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import type { ConsumedRecord, Handle } from '@dropbell/shared/kafka/consumer/consumed-record'
import { type Detection, type DetectionRules, detectTrigger, type PriceDrop, type Restock } from './detect-trigger.ts'
import type { InventoryMetrics } from './inventory-metrics.ts'
import type { ReadProductNames } from './product-names.ts'
import type { ProductStates } from './product-state.ts'
import type { ResolveTargets } from './resolve-targets.ts'
import type { TargetTrigger } from './target-query.ts'

export interface InventoryBatchDeps {
  rules: DetectionRules
  productStates: Pick<ProductStates, 'recordProductStates'>
  readProductNames: ReadProductNames
  resolveTargets: ResolveTargets
  produceNotifications: ProduceNotifications
  metrics: Pick<InventoryMetrics, 'eventJudged'>
}

interface DetectedTrigger extends TargetTrigger {
  readonly detection: PriceDrop | Restock
  readonly record: ConsumedRecord<ProductInventoryEvent>
}

/**
 * From a batch of inventory events to the acknowledged notifications of everybody who may be told. What fails is tried
 * again as a whole: product states do not change twice, and whoever was admitted makes the same notification again.
 */
export const createInventoryHandler =
  (deps: InventoryBatchDeps): Handle<ProductInventoryEvent> =>
  async (records, context) => {
    // Before anybody is told: an offer is checked against the newest state, also of events later in this batch. What the
    // rest of a longer fetch says was recorded by the look ahead.
    await deps.productStates.recordProductStates(records.map(({ value }) => value))
    const judged = records.map((record) => ({ record, detection: detectTrigger(record.value, deps.rules) }))
    const triggers = judged.flatMap(toTrigger)
    const names = await deps.readProductNames(triggers.map(({ productId }) => productId))
    for await (const { trigger, userIds } of deps.resolveTargets(triggers)) {
      const { traceparent, replayCount } = trigger.record
      const described = describe(trigger, names.get(trigger.productId))
      await deps.produceNotifications({ trigger: described, users: userIds, traceparent, replayCount }, context)
      await context.progress()
    }
    // Only now: a batch that is tried again is counted once.
    for (const { record, detection } of judged) deps.metrics.eventJudged(record.value.eventType, detection)
  }

interface Judged {
  record: ConsumedRecord<ProductInventoryEvent>
  detection: Detection
}

const toTrigger = ({ record, detection }: Judged): DetectedTrigger[] => {
  if (detection.kind === 'ignored') return []
  const { eventId, productId, timestamp } = record.value
  return [{ kind: detection.kind, eventId, productId, timestamp, detection, record }]
}

const describe = (
  { eventId, productId, timestamp, detection }: DetectedTrigger,
  productName: string | undefined,
): Trigger => {
  const event = { eventId, productId, productName, eventTimestamp: timestamp }
  if (detection.kind === 'restock') return { ...event, type: 'BACK_IN_STOCK', currentStock: detection.currentStock }
  const { previousPrice, currentPrice, dropPercentage } = detection
  return { ...event, type: 'PRICE_DROP', previousPrice, currentPrice, dropPercentage }
}

import type { NotificationConfig } from '@dropbell/notification-producer/config'
import { partsOf } from '@dropbell/notification-producer/parts-of'
import type { NotificationPage, ProduceNotifications } from '@dropbell/notification-producer/produce-notifications'
import { type Detection, detectTrigger, type PriceDrop, type Restock } from '@dropbell/offers/detect-trigger'
import type { ProductStates } from '@dropbell/offers/product-state'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import type { ConsumedRecord, Handle } from '@dropbell/shared/kafka/consumer/consumed-record'
import type { Logger } from '@dropbell/shared/log'
import type { InventoryConfig } from './config.ts'
import { describeTrigger } from './describe-trigger.ts'
import type { Fanout, FanoutOrigin, PublishFanouts } from './fanout-request.ts'
import type { InventoryMetrics } from './inventory-metrics.ts'
import type { ReadProductNames } from './product-names.ts'
import type { ResolveTargets } from './resolve-targets.ts'
import type { TargetTrigger } from './target-query.ts'

export interface InventoryBatchDeps {
  config: Pick<InventoryConfig, 'PRICE_DROP_THRESHOLD' | 'FANOUT_INLINE_USERS' | 'TARGET_PAGE_SIZE'> &
    Pick<NotificationConfig, 'NOTIFICATION_BATCH_SIZE'>
  productStates: Pick<ProductStates, 'recordProductStates'>
  readProductNames: ReadProductNames
  resolveTargets: ResolveTargets
  produceNotifications: ProduceNotifications
  publishFanouts: PublishFanouts
  metrics: Pick<InventoryMetrics, 'eventJudged' | 'audienceResolved' | 'fanoutBegun'>
  log: Logger
}

interface DetectedTrigger extends TargetTrigger {
  readonly detection: PriceDrop | Restock
  readonly record: ConsumedRecord<ProductInventoryEvent>
}

/**
 * From a batch of inventory events to the acknowledged notifications of everybody who may be told, or to the request to
 * tell the rest of a large audience. What fails is tried again as a whole: product states do not change twice, whoever was
 * admitted makes the same notification again, and a fan-out that was asked for twice is served once.
 */
export const createInventoryHandler = (deps: InventoryBatchDeps): Handle<ProductInventoryEvent> => {
  const { config, metrics } = deps
  const rules = { priceDropThreshold: config.PRICE_DROP_THRESHOLD }
  const most = Math.min(config.FANOUT_INLINE_USERS, config.TARGET_PAGE_SIZE)

  return async (records, context) => {
    const judged = records.map((record) => ({ record, detection: detectTrigger(record.value, rules) }))
    const triggers = judged.flatMap(toTrigger)
    const [names] = await Promise.all([
      deps.readProductNames(triggers.map(({ productId }) => productId)),
      // Before anybody is told: an offer is checked against the newest state, also of events later in this batch. What the
      // rest of a longer fetch says was recorded by the look ahead.
      deps.productStates.recordProductStates(records.map(({ value }) => value)),
    ])
    const audiences = new Map(triggers.map((trigger) => [trigger, { users: 0, cut: false }]))
    const fanouts: [Fanout, FanoutOrigin][] = []

    async function* pages(): AsyncGenerator<NotificationPage, void, undefined> {
      for await (const { trigger, userIds: users, rest, cut = false } of deps.resolveTargets(triggers, { most })) {
        const { traceparent, replayCount, value: event } = trigger.record
        audiences.set(trigger, { users: (audiences.get(trigger)?.users ?? 0) + users.length, cut })
        if (rest) {
          // Whoever comes to its end counts it.
          audiences.delete(trigger)
          const { detection, timestamp: asOf } = trigger
          fanouts.push([
            { event, detection, asOf, after: rest },
            { traceparent, replayCount },
          ])
        }
        const described = describeTrigger(event, trigger.detection, names.get(trigger.productId))
        yield { trigger: described, users, traceparent, replayCount }
      }
    }
    for await (const _ of deps.produceNotifications(partsOf(pages(), config.NOTIFICATION_BATCH_SIZE), context));
    await deps.publishFanouts(fanouts)

    // Only now: a batch that is tried again is counted once.
    for (const { record, detection } of judged) metrics.eventJudged(record.value.eventType, detection)
    for (const [{ kind, eventId, productId }, { users, cut }] of audiences) {
      metrics.audienceResolved(kind, users, cut)
      if (cut) deps.log.warn({ eventId, productId, users }, 'audience cut at TARGET_USER_LIMIT')
    }
    for (const [{ detection }] of fanouts) metrics.fanoutBegun(detection.kind)
  }
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

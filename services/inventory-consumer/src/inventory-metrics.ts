import { stopReasons } from '@dropbell/notification-producer/refusal-outcome'
import { type Detection, ignoredReasons, type TriggerKind, triggerKinds } from '@dropbell/offers/detect-trigger'
import { type InventoryEventType, inventoryEventTypeSymbols } from '@dropbell/schemas/generated/product-inventory-event'
import { createCounter, createHistogram } from '@dropbell/shared/metrics'
import type { Registry } from 'prom-client'

/** Users. From nobody to the default limit of an audience. */
const audienceBuckets = [0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const

const fanoutEnds = ['told', 'cut', ...stopReasons] as const

export type FanoutEnd = (typeof fanoutEnds)[number]

export interface InventoryMetrics {
  eventJudged(eventType: InventoryEventType, detection: Detection): void
  /** `cut`: it has more users than may be told. */
  audienceResolved(kind: TriggerKind, users: number, cut: boolean): void
  fanoutBegun(kind: TriggerKind): void
  fanoutEnded(kind: TriggerKind, end: FanoutEnd): void
}

export const createInventoryMetrics = (registry: Registry): InventoryMetrics => {
  const events = createCounter(registry, {
    name: 'dropbell_inventory_events_total',
    help: 'Inventory events by what they were found to be: a trigger, or the reason why they are ignored.',
    labels: { type: inventoryEventTypeSymbols, result: [...triggerKinds, ...ignoredReasons] },
  })
  const detected = createCounter(registry, {
    name: 'dropbell_triggers_detected_total',
    help: 'Price drops and restocks that are worth telling.',
    labels: { kind: triggerKinds },
  })
  const audience = createHistogram(registry, {
    name: 'dropbell_event_audience_users',
    help: 'Users an event is to be told to, before admission; without fan-outs that were stopped.',
    labels: { kind: triggerKinds },
    buckets: audienceBuckets,
  })
  const cut = createCounter(registry, {
    name: 'dropbell_audiences_cut_total',
    help: 'Audiences that were larger than TARGET_USER_LIMIT.',
    labels: { kind: triggerKinds },
  })
  const fanouts = createCounter(registry, {
    name: 'dropbell_fanouts_total',
    help: 'Audiences too large to be told at once, as they are begun and as they end: told, cut at the limit, or the reason why they were stopped.',
    labels: { kind: triggerKinds, result: ['begun', ...fanoutEnds] },
  })
  return {
    eventJudged: (type, detection) => {
      events.inc({ type, result: detection.kind === 'ignored' ? detection.reason : detection.kind })
      if (detection.kind !== 'ignored') detected.inc({ kind: detection.kind })
    },
    audienceResolved: (kind, users, isCut) => {
      audience.observe({ kind }, users)
      if (isCut) cut.inc({ kind })
    },
    fanoutBegun: (kind) => fanouts.inc({ kind, result: 'begun' }),
    fanoutEnded: (kind, result) => fanouts.inc({ kind, result }),
  }
}

import { encodeRecords } from '@dropbell/notification-producer/encode-records'
import {
  type DetectionRules,
  detectTrigger,
  type PriceDrop,
  type Restock,
  type TriggerKind,
} from '@dropbell/offers/detect-trigger'
import type { AudienceCursor } from '@dropbell/offers/fanout-state'
import type { Codec } from '@dropbell/schemas/codec'
import type { FanoutRequest } from '@dropbell/schemas/generated/fanout-request'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { notificationFanoutTopic } from '@dropbell/schemas/topics'
import { PermanentError } from '@dropbell/shared/errors'
import type { Decode } from '@dropbell/shared/kafka/consumer/consumed-record'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import type { Publisher } from '@dropbell/shared/kafka/publisher'

/** The rest of an audience, and where it begins. */
export interface Fanout {
  readonly event: ProductInventoryEvent
  readonly detection: PriceDrop | Restock
  /** The moment the audience is reckoned from. */
  readonly asOf: number
  readonly after: AudienceCursor | undefined
}

const notificationTypes = { 'price-drop': 'PRICE_DROP', restock: 'BACK_IN_STOCK' } as const satisfies Record<
  TriggerKind,
  FanoutRequest['notificationType']
>

const toRequest = ({ event, detection, asOf, after }: Fanout): FanoutRequest => ({
  event,
  notificationType: notificationTypes[detection.kind],
  asOf,
  afterUserId: after?.userId ?? null,
  servedUsers: after?.servedUsers ?? 0,
})

/** Carried by the record that asked first, and by each that goes on where another stopped. */
export interface FanoutOrigin {
  readonly traceparent: string
  readonly replayCount: number
}

export type PublishFanouts = (fanouts: readonly (readonly [Fanout, FanoutOrigin])[]) => Promise<void>

export interface FanoutPublisherDeps {
  codec: Pick<Codec<FanoutRequest>, 'encodeBatch'>
  publisher: Pick<Publisher, 'publish'>
}

export const createFanoutPublisher =
  ({ codec, publisher }: FanoutPublisherDeps): PublishFanouts =>
  async (fanouts) => {
    const writer = { topic: notificationFanoutTopic, codec }
    const records = fanouts.map(async ([fanout, { traceparent, replayCount }]) => {
      const { eventId, timestamp: eventTimestamp } = fanout.event
      const encoded = await encodeRecords(writer, [toRequest(fanout)], { eventId, eventTimestamp, traceparent })
      if (replayCount === 0) return encoded
      return encoded.map((record) => {
        return { ...record, headers: { ...record.headers, [recordHeaders.replayCount]: String(replayCount) } }
      })
    })
    await publisher.publish((await Promise.all(records)).flat())
  }

/** Whatever the threshold is now: a fan-out that was begun is not split by a new one. */
const anyDrop: DetectionRules = { priceDropThreshold: 0 }

export const createFanoutDecoder =
  (codec: Pick<Codec<FanoutRequest>, 'decodeBatch'>): Decode<Fanout> =>
  async (values) =>
    (await codec.decodeBatch(values)).map((decoded) => {
      if (!decoded.ok) return decoded
      const { event, notificationType, asOf, afterUserId, servedUsers } = decoded.value
      const detection = detectTrigger(event, anyDrop)
      if (detection.kind === 'ignored' || notificationTypes[detection.kind] !== notificationType) {
        const message = `the event ${event.eventId} is no ${notificationType}`
        return { ok: false, error: new PermanentError('FANOUT_REQUEST_UNUSABLE', message) }
      }
      const after = afterUserId === null ? undefined : { userId: afterUserId, servedUsers }
      return { ok: true, value: { event, detection, asOf, after } }
    })

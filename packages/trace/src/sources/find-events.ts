import type { Codec } from '@dropbell/schemas/codec'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { dlqNameOf, notificationFanoutTopic, productInventoryTopic } from '@dropbell/schemas/topics'
import { readReplayCount } from '@dropbell/shared/kafka/consumer/consumed-record'
import type { Coverage, FoundDeadLetter, FoundEvent } from '../facts.ts'
import { readFailure } from '../read-dead-letter.ts'
import { type DecodedRecord, decodeEach, eventIdOf, keyOf, mentions, type PickRecords } from './pick-records.ts'

export interface FoundEvents {
  readonly events: readonly FoundEvent[]
  readonly deadLetters: readonly FoundDeadLetter[]
  readonly coverage: Coverage
}

export interface EventsQuery {
  /** Whichever has one of these ids, or is about one of these products. */
  readonly eventIds: readonly string[]
  readonly productIds: readonly string[]
  readonly since: number
}

export interface FindEventsDeps {
  readonly pick: PickRecords
  readonly codec: Pick<Codec<ProductInventoryEvent>, 'decodeBatch'>
  readonly dlqSuffix: string
}

type Decoded = DecodedRecord<ProductInventoryEvent>

export const createFindEvents = ({ pick, codec, dlqSuffix }: FindEventsDeps) => {
  /** Of requests to tell the rest of a large audience. */
  const findDeadFanouts = async (eventIds: readonly string[], since: number): Promise<FoundDeadLetter[]> => {
    if (eventIds.length === 0) return []
    const topic = dlqNameOf(notificationFanoutTopic.name, dlqSuffix)
    const { picked } = await pick({ topic, keys: eventIds, since }, mentions([], eventIds))
    return picked.map((record) => {
      const { place, at, headers } = record
      return { place, at, eventId: keyOf(record), productId: null, notificationId: null, ...readFailure(headers) }
    })
  }

  return async ({ eventIds, productIds, since }: EventsQuery): Promise<FoundEvents> => {
    const keys = productIds.length > 0 ? productIds : undefined
    const of = (topic: string) => pick({ topic, keys, since }, mentions(eventIds, productIds))
    const live = await of(productInventoryTopic.name)
    // The dead letters of an event are in the partition it was read from.
    const dead = await of(dlqNameOf(productInventoryTopic.name, dlqSuffix))
    // What cannot be read has no better name than its key and header.
    const isAsked = ({ value }: Decoded): boolean =>
      value === null || eventIds.includes(value.eventId) || productIds.includes(value.productId)
    const events = (await decodeEach(codec, live.picked)).filter(isAsked).map(toEvent)
    const known = new Set([...eventIds, ...events.flatMap(({ eventId }) => eventId ?? [])])
    const deadFanouts = await findDeadFanouts([...known], since)
    const deadLetters = (await decodeEach(codec, dead.picked)).filter(isAsked).map(toDeadLetter)
    return { events, deadLetters: [...deadLetters, ...deadFanouts], coverage: live.coverage }
  }
}

const toEvent = ({ record, value, fault }: Decoded): FoundEvent => ({
  ...{ place: record.place, at: record.at, event: value, fault },
  eventId: value?.eventId ?? eventIdOf(record),
  replayCount: readReplayCount(record.headers),
})

const toDeadLetter = ({ record, value }: Decoded): FoundDeadLetter => ({
  ...{ place: record.place, at: record.at, notificationId: null },
  eventId: value?.eventId ?? eventIdOf(record),
  productId: value?.productId ?? keyOf(record),
  ...readFailure(record.headers),
})

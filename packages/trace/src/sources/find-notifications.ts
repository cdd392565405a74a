import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { dlqNameOf, notificationOutcomeTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import type { Coverage, FoundDeadLetter, FoundRecord } from '../facts.ts'
import { readFailure } from '../read-dead-letter.ts'
import { decodeEach, mentions, type PickedRecord, type PickRecords } from './pick-records.ts'

export interface FoundNotification extends FoundRecord {
  readonly notification: NotificationEvent
}

export interface FoundNotifications {
  readonly published: readonly FoundNotification[]
  readonly outcomes: readonly NotificationOutcome[]
  readonly deadLetters: readonly FoundDeadLetter[]
  readonly coverage: Coverage
}

/** Everything of a user, or one notification of anybody. */
export type NotificationsQuery = { readonly since: number } & (
  | { readonly userId: string }
  | { readonly notificationId: string }
)

export interface FindNotificationsDeps {
  readonly pick: PickRecords
  readonly codecs: {
    readonly notification: Pick<Codec<NotificationEvent>, 'decodeBatch'>
    readonly outcome: Pick<Codec<NotificationOutcome>, 'decodeBatch'>
  }
  readonly dlqSuffix: string
}

export const createFindNotifications =
  ({ pick, codecs, dlqSuffix }: FindNotificationsDeps) =>
  async (query: NotificationsQuery): Promise<FoundNotifications> => {
    const { keys, ids } =
      'userId' in query ? { keys: [query.userId], ids: [] } : { keys: undefined, ids: [query.notificationId] }
    const of = (topic: string) => pick({ topic, keys, since: query.since }, mentions(ids, keys ?? []))
    const pushed = await of(notificationPushTopic.name)
    const dead = await of(dlqNameOf(notificationPushTopic.name, dlqSuffix))
    const ended = await of(notificationOutcomeTopic.name)

    const isAsked = (value: { notificationId: string; userId: string | null }): boolean =>
      'userId' in query ? value.userId === query.userId : value.notificationId === query.notificationId
    const read = async <T extends { notificationId: string; userId: string | null }>(
      codec: Pick<Codec<T>, 'decodeBatch'>,
      picked: readonly PickedRecord[],
    ): Promise<{ record: PickedRecord; value: T }[]> =>
      (await decodeEach(codec, picked)).flatMap(({ record, value }) =>
        value !== null && isAsked(value) ? [{ record, value }] : [],
      )
    return {
      published: (await read(codecs.notification, pushed.picked)).map(({ record: { place, at }, value }) => {
        return { place, at, notification: value }
      }),
      deadLetters: (await read(codecs.notification, dead.picked)).map(({ record: { place, at, headers }, value }) => {
        const { eventId, notificationId, productId } = value
        return { place, at, eventId, notificationId, productId, ...readFailure(headers) }
      }),
      outcomes: (await read(codecs.outcome, ended.picked)).map(({ value }) => value),
      coverage: pushed.coverage,
    }
  }

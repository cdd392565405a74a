import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { PermanentError } from '@dropbell/shared/errors'
import type { Decode } from '@dropbell/shared/kafka/consumer/consumed-record'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** What the schema cannot say: the ledger knows a notification by a UUID, and somebody is to be told. */
export const createNotificationDecoder =
  (codec: Pick<Codec<NotificationEvent>, 'decodeBatch'>): Decode<NotificationEvent> =>
  async (values) =>
    (await codec.decodeBatch(values)).map((decoded) => {
      if (!decoded.ok) return decoded
      const { notificationId, userId } = decoded.value
      if (uuid.test(notificationId) && userId !== '') return decoded
      // In one spelling: it is the one that the database gives back.
      const lowerCase = notificationId.toLowerCase()
      if (uuid.test(lowerCase) && userId !== '') {
        return { ok: true, value: { ...decoded.value, notificationId: lowerCase } }
      }
      const message = 'notificationId is no UUID, or userId is empty'
      return { ok: false, error: new PermanentError('NOTIFICATION_WITHOUT_ID', message) }
    })

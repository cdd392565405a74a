import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { PermanentError } from '@dropbell/shared/errors'
import type { Decode } from '@dropbell/shared/kafka/consumer/consumed-record'

/** Elasticsearch refuses a whole request for one longer id. */
const maxIdBytes = 512

/** What the schema cannot say: a document has an id, and versions that count up. */
export const createOutcomeDecoder =
  (codec: Pick<Codec<NotificationOutcome>, 'decodeBatch'>): Decode<NotificationOutcome> =>
  async (values) =>
    (await codec.decodeBatch(values)).map((decoded) => {
      if (!decoded.ok || isDocument(decoded.value)) return decoded
      const message = `notificationId is empty or longer than ${maxIdBytes} bytes, or revision is negative`
      return { ok: false, error: new PermanentError('OUTCOME_WITHOUT_ID', message) }
    })

const isDocument = ({ notificationId, revision }: NotificationOutcome): boolean =>
  notificationId !== '' && Buffer.byteLength(notificationId) <= maxIdBytes && revision >= 0

import type { Codec } from '@dropbell/schemas/codec'
import { EncodeError } from '@dropbell/schemas/codec-errors'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { Topic } from '@dropbell/schemas/topics'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import type { Outgoing } from '../provider.ts'

export interface InAppWriter {
  readonly topic: Topic<NotificationEvent>
  readonly codec: Pick<Codec<NotificationEvent>, 'encodeBatch'>
}

/** A record, or the code by which it will never be one. */
export type Encoded = OutgoingRecord | { readonly refused: string }

/** All at once, and one by one where one of them does not fit its schema. Rejects if the schema is not known. */
export const encodeNotifications = async (writer: InAppWriter, messages: readonly Outgoing[]): Promise<Encoded[]> => {
  try {
    return await encodeAll(writer, messages)
  } catch (error) {
    if (!(error instanceof EncodeError)) throw error
    if (messages.length === 1) return [{ refused: error.code }]
    const each = await Promise.all(messages.map((outgoing) => encodeNotifications(writer, [outgoing])))
    return each.flat()
  }
}

const encodeAll = async ({ topic, codec }: InAppWriter, messages: readonly Outgoing[]): Promise<OutgoingRecord[]> => {
  const values = await codec.encodeBatch(messages.map(({ notification }) => notification))
  return messages.map(({ notification }, index) => {
    const { eventId, eventTimestamp } = notification
    const headers = {
      ...(eventId !== null && { [recordHeaders.eventId]: eventId }),
      ...(eventTimestamp !== null && { [recordHeaders.eventTimestamp]: String(eventTimestamp) }),
    }
    return { topic: topic.name, key: topic.keyOf(notification), value: values[index] as Buffer, headers }
  })
}

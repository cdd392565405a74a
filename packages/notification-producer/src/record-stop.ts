import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic } from '@dropbell/schemas/topics'
import type { Publisher } from '@dropbell/shared/kafka/publisher'
import type { NotificationConfig } from './config.ts'
import { encodeRecords } from './encode-records.ts'
import { type RefusalContext, type StopReason, stoppedOutcome } from './refusal-outcome.ts'

export interface RecordStopDeps {
  codec: Pick<Codec<NotificationOutcome>, 'encodeBatch'>
  publisher: Pick<Publisher, 'publish'>
  config: Pick<NotificationConfig, 'HISTORY_REFUSALS'>
}

/** Puts on record that nobody else is told of an event, and why. Asked again, it writes the same outcome again. */
export type RecordStop = (reason: StopReason, context: Omit<RefusalContext, 'title'>) => Promise<void>

export const createRecordStop =
  ({ codec, publisher, config }: RecordStopDeps): RecordStop =>
  async (reason, context) => {
    if (config.HISTORY_REFUSALS === 'off') return
    const { trigger, traceparent } = context
    const outcome = stoppedOutcome(reason, context)
    const writer = { topic: notificationOutcomeTopic, codec }
    await publisher.publish(await encodeRecords(writer, [outcome], { ...trigger, traceparent }))
  }

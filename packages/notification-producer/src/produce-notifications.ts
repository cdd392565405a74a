import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { Publisher } from '@dropbell/shared/kafka/publisher'
import type { Admission, Admit } from './admit.ts'
import type { Clock } from './clock.ts'
import { composeMessage, composeNotification, type Message } from './compose-notification.ts'
import type { NotificationConfig } from './config.ts'
import type { RefusalReason } from './decision.ts'
import { encodeRecords, type TopicWriter } from './encode-records.ts'
import { notificationIdOf } from './notification-id.ts'
import type { NotificationMetrics } from './notification-metrics.ts'
import { languageOf } from './notification-texts.ts'
import { expiryOf } from './notification-validity.ts'
import { type RecordedRefusal, refusalOutcome } from './refusal-outcome.ts'
import type { Trigger } from './trigger.ts'

/** Some of the users who are interested in what happened. */
export interface NotificationPage {
  readonly trigger: Trigger
  readonly users: readonly string[]
  readonly traceparent: string
  /** How often the event came back from the dead letters. */
  readonly replayCount?: number
}

export interface ProductionSummary {
  /** Told, with the acknowledgement of all brokers. */
  readonly published: number
  readonly refused: Readonly<Partial<Record<RefusalReason, number>>>
}

export interface NotificationProducerDeps {
  admit: Admit
  codecs: {
    notification: Pick<Codec<NotificationEvent>, 'encodeBatch'>
    outcome: Pick<Codec<NotificationOutcome>, 'encodeBatch'>
  }
  publisher: Pick<Publisher, 'publish'>
  config: NotificationConfig
  clock: Clock
  metrics: Pick<NotificationMetrics, 'publishSeconds' | 'eventToPublishSeconds'>
}

/** Whoever waits for a page: told of each batch that got through, and able to call the rest off. */
export interface ProductionWatch {
  signal: AbortSignal
  progress(): Promise<void>
}

export type ProduceNotifications = (page: NotificationPage, watch: ProductionWatch) => Promise<ProductionSummary>

/**
 * Asks who may be told, tells them, and records who may not. When it fails, call it again with the same page: whoever
 * was admitted still is, and makes the same notification. Nothing is released, since a publish that failed may have
 * been written.
 */
export const createNotificationProducer = (deps: NotificationProducerDeps): ProduceNotifications => {
  const { config, clock, metrics } = deps

  const writers = {
    notification: { topic: notificationPushTopic, codec: deps.codecs.notification },
    outcome: { topic: notificationOutcomeTopic, codec: deps.codecs.outcome },
  }

  const publishChunk = async <T>(
    { trigger, traceparent }: NotificationPage,
    writer: TopicWriter<T>,
    chunk: readonly T[],
  ) => deps.publisher.publish(await encodeRecords(writer, chunk, { ...trigger, traceparent }))

  const publishNotifications = async (
    page: NotificationPage,
    notifications: readonly NotificationEvent[],
    { signal, progress }: ProductionWatch,
  ) => {
    let isFirst = true
    for (const chunk of chunksOf(notifications, config.NOTIFICATION_BATCH_SIZE)) {
      signal.throwIfAborted()
      if (!isFirst && config.NOTIFICATION_BATCH_DELAY_MS > 0) await clock.wait(config.NOTIFICATION_BATCH_DELAY_MS)
      isFirst = false
      const stop = metrics.publishSeconds.startTimer()
      try {
        await publishChunk(page, writers.notification, chunk)
        stop({ outcome: 'ok' })
      } catch (error) {
        stop({ outcome: 'failed' })
        throw error
      }
      const { type, eventTimestamp } = page.trigger
      metrics.eventToPublishSeconds.observe({ type }, Math.max(0, clock.now() - eventTimestamp) / 1_000)
      await progress()
    }
  }

  const publishOutcomes = async (
    page: NotificationPage,
    outcomes: readonly NotificationOutcome[],
    { signal, progress }: ProductionWatch,
  ) => {
    if (config.HISTORY_REFUSALS === 'off') return
    for (const chunk of chunksOf(outcomes, config.NOTIFICATION_BATCH_SIZE)) {
      signal.throwIfAborted()
      await publishChunk(page, writers.outcome, chunk)
      await progress()
    }
  }

  return async (page, watch) => {
    const { trigger, users, traceparent, replayCount = 0 } = page
    const { type, eventId, eventTimestamp, productId } = trigger
    const now = clock.now()
    const expiresAt = expiryOf(config, type, eventTimestamp)
    const candidates = [...new Set(users)].map((userId) => {
      return { userId, notificationId: notificationIdOf({ eventId, userId, type }) }
    })
    const admissions = await deps.admit({
      ...{ type, eventId, eventTimestamp, expiresAt, replayCount, now, candidates },
      subject: productId,
    })

    const messageFor = composeOncePerLanguage(trigger)
    const notifications = admissions
      .filter(({ decision }) => decision.kind === 'admitted')
      .map((admission) => composeNotification(trigger, messageFor(admission), { ...admission, now, expiresAt }))
    await publishNotifications(page, notifications, watch)

    const outcomes = admissions.flatMap((admission) => {
      const refusal = recordedRefusal(admission)
      if (refusal === undefined) return []
      const title = refusal.reason === 'expired' ? null : messageFor(admission).title
      return refusalOutcome(admission, refusal, { trigger, title, now, traceparent })
    })
    await publishOutcomes(page, outcomes, watch)
    return { published: notifications.length, refused: countRefusals(admissions) }
  }
}

/** A page has thousands of readers and two languages. */
const composeOncePerLanguage = (trigger: Trigger): ((admission: Admission) => Message) => {
  const messages = new Map<string, Message>()
  return ({ recipient }) => {
    const language = languageOf(recipient.locale)
    const message = messages.get(language) ?? composeMessage(trigger, language)
    messages.set(language, message)
    return message
  }
}

const recordedRefusal = ({ decision }: Admission): RecordedRefusal | undefined =>
  decision.kind === 'refused' && decision.reason !== 'already-known'
    ? { ...decision, reason: decision.reason }
    : undefined

const countRefusals = (admissions: readonly Admission[]): ProductionSummary['refused'] => {
  const counts: Partial<Record<RefusalReason, number>> = {}
  for (const { decision } of admissions) {
    if (decision.kind === 'refused') counts[decision.reason] = (counts[decision.reason] ?? 0) + 1
  }
  return counts
}

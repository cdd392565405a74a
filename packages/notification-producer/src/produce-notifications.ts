import type { Codec } from '@dropbell/schemas/codec'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { notificationOutcomeTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import type { OutgoingRecord, Publisher } from '@dropbell/shared/kafka/publisher'
import { mapAhead } from '@dropbell/shared/map-ahead'
import type { Admission, AdmissionRequest, Admit } from './admit.ts'
import type { Clock } from './clock.ts'
import { composeMessage, composeNotification, type Message } from './compose-notification.ts'
import type { NotificationConfig } from './config.ts'
import type { RefusalReason } from './decision.ts'
import { encodeRecords, type RecordOrigin } from './encode-records.ts'
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

/** What is admitted and published together: pages of one event or of several. */
export type NotificationPart = readonly NotificationPage[]

/** A part that got through: everybody in it is told, with the acknowledgement of all brokers, or refused. */
export interface ProducedPart {
  readonly pages: NotificationPart
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

/** Whoever waits for the parts: told of each that got through, and able to call the rest off. */
export interface ProductionWatch {
  signal: AbortSignal
  progress(): Promise<void>
}

/**
 * Asks who may be told, tells them, and records who may not, part by part and in order: while one part is published the
 * next ones are being admitted. When it fails, call it again with what did not get through: whoever was admitted still
 * is, and makes the same notification. Nothing is released, since a publish that failed may have been written.
 */
export type ProduceNotifications = (
  parts: AsyncIterable<NotificationPart>,
  watch: ProductionWatch,
) => AsyncGenerator<ProducedPart, void, undefined>

// Most of a part's time is spent waiting, for Postgres, Redis or Kafka: with fewer, this process waits too (bench fanout).
const partsAhead = 4

export const createNotificationProducer = (deps: NotificationProducerDeps): ProduceNotifications => {
  const { config, clock, metrics, publisher } = deps
  const writers = {
    notification: { topic: notificationPushTopic, codec: deps.codecs.notification },
    outcome: { topic: notificationOutcomeTopic, codec: deps.codecs.outcome },
  }

  const admitPart = async (pages: NotificationPart): Promise<AdmittedPart> => {
    const now = clock.now()
    const requests = pages.map((page) => toRequest(page, config))
    const admissions = await deps.admit(requests, now)
    const admitted = pages.map((page, index) => {
      const { expiresAt } = requests[index] as AdmissionRequest
      return { page, expiresAt, admissions: admissions[index] as Admission[] }
    })
    return { pages, admitted, now }
  }

  const encodePage = async ({ page, expiresAt, admissions }: AdmittedPage, now: number): Promise<OutgoingRecord[]> => {
    const { trigger, traceparent } = page
    const messageFor = composeOncePerLanguage(trigger)
    const notifications: NotificationEvent[] = []
    const outcomes: NotificationOutcome[] = []
    for (const admission of admissions) {
      if (admission.decision.kind === 'admitted') {
        const { userId, notificationId } = admission
        const addressing = { userId, notificationId, now, expiresAt }
        notifications.push(composeNotification(trigger, messageFor(admission), addressing))
        continue
      }
      const refusal = recordedRefusal(admission)
      if (refusal === undefined || config.HISTORY_REFUSALS === 'off') continue
      const title = refusal.reason === 'expired' ? null : messageFor(admission).title
      outcomes.push(refusalOutcome(admission, refusal, { trigger, title, now, traceparent }))
    }
    const origin: RecordOrigin = { ...trigger, traceparent }
    const records = await encodeRecords(writers.notification, notifications, origin)
    return outcomes.length === 0 ? records : [...records, ...(await encodeRecords(writers.outcome, outcomes, origin))]
  }

  const publishPart = async ({ admitted, now }: AdmittedPart): Promise<void> => {
    const records: OutgoingRecord[] = []
    for (const page of admitted) for (const record of await encodePage(page, now)) records.push(record)
    if (records.length === 0) return
    const stop = metrics.publishSeconds.startTimer()
    try {
      await publisher.publish(records)
      stop({ outcome: 'ok' })
    } catch (error) {
      stop({ outcome: 'failed' })
      throw error
    }
    const publishedAt = clock.now()
    for (const { page, admissions } of admitted) {
      if (!admissions.some(({ decision }) => decision.kind === 'admitted')) continue
      const { type, eventTimestamp } = page.trigger
      metrics.eventToPublishSeconds.observe({ type }, Math.max(0, publishedAt - eventTimestamp) / 1_000)
    }
  }

  return async function* produceNotifications(parts, { signal, progress }) {
    let isFirst = true
    for await (const part of mapAhead(parts, admitPart, partsAhead)) {
      signal.throwIfAborted()
      if (!isFirst && config.NOTIFICATION_BATCH_DELAY_MS > 0) await clock.wait(config.NOTIFICATION_BATCH_DELAY_MS)
      isFirst = false
      await publishPart(part)
      await progress()
      yield { pages: part.pages, ...countDecisions(part) }
    }
  }
}

interface AdmittedPage {
  readonly page: NotificationPage
  readonly expiresAt: number
  readonly admissions: readonly Admission[]
}

interface AdmittedPart {
  readonly pages: NotificationPart
  readonly admitted: readonly AdmittedPage[]
  /** When they were admitted. */
  readonly now: number
}

const toRequest = ({ trigger, users, replayCount = 0 }: NotificationPage, config: NotificationConfig) => {
  const { type, eventId, eventTimestamp, productId } = trigger
  const candidates = [...new Set(users)].map((userId) => {
    return { userId, notificationId: notificationIdOf({ eventId, userId, type }) }
  })
  const expiresAt = expiryOf(config, type, eventTimestamp)
  return { type, eventId, eventTimestamp, expiresAt, subject: productId, replayCount, candidates }
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

const countDecisions = ({ admitted }: AdmittedPart): Pick<ProducedPart, 'published' | 'refused'> => {
  const refused: Partial<Record<RefusalReason, number>> = {}
  let published = 0
  for (const { admissions } of admitted) {
    for (const { decision } of admissions) {
      if (decision.kind === 'admitted') published++
      else refused[decision.reason] = (refused[decision.reason] ?? 0) + 1
    }
  }
  return { published, refused }
}

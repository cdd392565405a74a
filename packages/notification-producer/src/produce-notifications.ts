import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { mapAhead } from '@dropbell/shared/map-ahead'
import type { Admission, AdmissionRequest, Admit } from './admit.ts'
import type { Clock } from './clock.ts'
import { composeMessage, composeNotification, type Message } from './compose-notification.ts'
import type { NotificationConfig } from './config.ts'
import type { RefusalReason } from './decision.ts'
import { notificationIdOf } from './notification-id.ts'
import { languageOf } from './notification-texts.ts'
import { expiryOf } from './notification-validity.ts'
import { createBatchPublisher, type NotificationBatch, type PublisherDeps } from './publish-batches.ts'
import { recordedRefusal, refusalOutcome } from './refusal-outcome.ts'
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

export interface NotificationProducerDeps extends PublisherDeps {
  admit: Admit
  config: NotificationConfig
  clock: Clock
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
  const { config, clock } = deps
  const publish = createBatchPublisher(deps)

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

  const composePage = ({ page, expiresAt, admissions }: AdmittedPage, now: number): NotificationBatch => {
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
    return { occasion: trigger, traceparent, notifications, outcomes }
  }

  return async function* produceNotifications(parts, { signal, progress }) {
    let isFirst = true
    for await (const part of mapAhead(parts, admitPart, partsAhead)) {
      signal.throwIfAborted()
      if (!isFirst && config.NOTIFICATION_BATCH_DELAY_MS > 0) await clock.wait(config.NOTIFICATION_BATCH_DELAY_MS)
      isFirst = false
      await publish(part.admitted.map((page) => composePage(page, part.now)))
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

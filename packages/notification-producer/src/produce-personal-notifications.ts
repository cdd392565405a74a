import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { mapAhead } from '@dropbell/shared/map-ahead'
import type { Admission, Admit } from './admit.ts'
import type { Clock } from './clock.ts'
import { composeNotification, type Message } from './compose-notification.ts'
import type { NotificationConfig } from './config.ts'
import type { RefusalReason } from './decision.ts'
import type { Slot } from './gate.ts'
import { notificationIdOf } from './notification-id.ts'
import { type Language, languageOf } from './notification-texts.ts'
import { expiryOf } from './notification-validity.ts'
import type { PublishBatches } from './publish-batches.ts'
import { recordedRefusal, refusalOutcome } from './refusal-outcome.ts'
import type { Occasion } from './trigger.ts'

/** One event of which every user is told something else. */
export interface PersonalEvent {
  readonly type: Occasion['type']
  readonly eventId: string
  readonly eventTimestamp: number
  /** What a user is told about once in a while, whatever it is in particular. */
  readonly subject: string
  readonly traceparent: string
  /** For the record of those who may not be told: nobody has asked what it would have been. */
  titleIn(language: Language): string
}

/** What there is to say to a user; nobody knows, if it failed. */
export type Personal =
  | { readonly kind: 'message'; readonly productId: string; compose(language: Language): Message }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Rejects only when it is called off. */
export type Personalise = (userId: string, signal: AbortSignal) => Promise<Personal>

/** Users who had their turn: told, with the acknowledgement of all brokers, or not. */
export interface PersonalPart {
  readonly users: readonly string[]
  readonly published: number
  readonly refused: Readonly<Partial<Record<RefusalReason, number>>>
  readonly nothing: readonly string[]
  readonly failed: readonly { readonly userId: string; readonly reason: string }[]
  /**
   * Slots that were taken for nothing. To be released when what became of the part is on record, and not before: until
   * then somebody else may be about to tell the same users of the same event.
   */
  readonly unused: readonly Slot[]
}

export interface PersonalProducerDeps {
  admit: Admit
  personalise: Personalise
  publish: PublishBatches
  config: NotificationConfig
  clock: Clock
}

export interface PersonalWatch {
  signal: AbortSignal
  /** How many parts are being prepared while one is published. */
  partsAhead: number
}

/**
 * Asks who may be told, and only of those what to tell them; publishes part by part and in order. No part is published
 * before the one before it was used up by whoever reads them. Called again for the same users it makes the same
 * notifications.
 */
export type ProducePersonal = (
  event: PersonalEvent,
  parts: AsyncIterable<readonly string[]>,
  watch: PersonalWatch,
) => AsyncGenerator<PersonalPart, void, undefined>

/** A user who was asked about, and what there is to say if anything may be said. */
interface Turn {
  readonly admission: Admission
  readonly personal: Personal | undefined
}

export const createPersonalProducer = (deps: PersonalProducerDeps): ProducePersonal => {
  const { config, clock } = deps

  const prepare = async (event: PersonalEvent, users: readonly string[], signal: AbortSignal) => {
    // A part that was asked for ahead may come when nobody wants it any more.
    signal.throwIfAborted()
    const { type, eventId, eventTimestamp, subject } = event
    const now = clock.now()
    const expiresAt = expiryOf(config, type, eventTimestamp)
    const candidates = users.map((userId) => ({ userId, notificationId: notificationIdOf({ eventId, userId, type }) }))
    const request = { type, eventId, eventTimestamp, expiresAt, subject, replayCount: 0, candidates }
    const [admissions = []] = await deps.admit([request], now)
    signal.throwIfAborted()
    const ask = async (admission: Admission): Promise<Turn> => {
      const isAdmitted = admission.decision.kind === 'admitted'
      return { admission, personal: isAdmitted ? await deps.personalise(admission.userId, signal) : undefined }
    }
    return { users, expiresAt, turns: await Promise.all(admissions.map(ask)) }
  }

  const compose = (event: PersonalEvent, turns: readonly Turn[], expiresAt: number) => {
    const now = clock.now()
    const notifications: NotificationEvent[] = []
    const outcomes: NotificationOutcome[] = []
    for (const { admission, personal } of turns) {
      const language = languageOf(admission.recipient.locale)
      if (personal?.kind === 'message') {
        const { userId, notificationId } = admission
        const occasion = { ...event, productId: personal.productId }
        const addressing = { userId, notificationId, now, expiresAt }
        notifications.push(composeNotification(occasion, personal.compose(language), addressing))
      }
      const refusal = recordedRefusal(admission)
      if (refusal === undefined || config.HISTORY_REFUSALS === 'off') continue
      // No product is known; what they are not told about is the subject.
      const trigger = { ...event, productId: event.subject }
      const title = refusal.reason === 'expired' ? null : event.titleIn(language)
      outcomes.push(refusalOutcome(admission, refusal, { trigger, title, now, traceparent: event.traceparent }))
    }
    return { occasion: event, traceparent: event.traceparent, notifications, outcomes }
  }

  return async function* producePersonal(event, parts, { signal, partsAhead }) {
    const prepared = mapAhead(parts, (users) => prepare(event, users, signal), partsAhead)
    let isFirst = true
    for await (const { users, expiresAt, turns } of prepared) {
      if (!isFirst && config.NOTIFICATION_BATCH_DELAY_MS > 0) await clock.wait(config.NOTIFICATION_BATCH_DELAY_MS)
      isFirst = false
      signal.throwIfAborted()
      await deps.publish([compose(event, turns, expiresAt)])
      yield { users, ...summarise(event, turns) }
    }
  }
}

const summarise = ({ type, eventId, subject }: PersonalEvent, turns: readonly Turn[]): Omit<PersonalPart, 'users'> => {
  const refused: Partial<Record<RefusalReason, number>> = {}
  const nothing: string[] = []
  const failed: { userId: string; reason: string }[] = []
  const unused: Slot[] = []
  let published = 0
  for (const { admission, personal } of turns) {
    const { userId, decision } = admission
    if (decision.kind === 'refused') refused[decision.reason] = (refused[decision.reason] ?? 0) + 1
    else if (personal?.kind === 'message') published++
    else {
      if (personal?.kind === 'failed') failed.push({ userId, reason: personal.reason })
      else nothing.push(userId)
      // A slot that was held before may be that of a notification on its way: never refunded after a publish.
      if (!decision.again) unused.push({ userId, subject, type, eventId })
    }
  }
  return { published, refused, nothing, failed, unused }
}

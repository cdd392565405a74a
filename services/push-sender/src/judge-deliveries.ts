import type { Gate, GateAnswer, ResendRequest } from '@dropbell/notification-producer/gate'
import type { LocalDateAt } from '@dropbell/notification-producer/local-date'
import { subjectOf } from '@dropbell/notification-producer/subject-of'
import { judgeOffer, type OfferVerdict } from '@dropbell/offers/judge-offer'
import type { ReadKnownStates } from '@dropbell/offers/read-known-states'
import type { RefusalCode, WaitCode } from '@dropbell/schemas/refusal-codes'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import type { Logger } from '@dropbell/shared/log'
import type { SenderConfig } from './config.ts'
import { type HeldDelivery, trafficKindOf } from './held-delivery.ts'
import { isFresh, isYoung } from './is-fresh.ts'
import { offerOf } from './offer-of.ts'
import { respectsQuietHours } from './plan-deliveries.ts'
import { quietUntil, spreadOf } from './quiet-hours.ts'

export type Verdict =
  | { readonly kind: 'send' }
  | { readonly kind: 'refuse'; readonly code: RefusalCode }
  | { readonly kind: 'defer'; readonly notBefore: number; readonly code: WaitCode }
  /** Nobody can say now: fail-close, it is not sent, and asked about again. */
  | { readonly kind: 'give-back' }

export interface JudgeDeps {
  findSuperseded(notificationIds: readonly string[]): Promise<ReadonlySet<string>>
  readKnownStates: ReadKnownStates
  resend: Gate['resend']
  localDateAt: LocalDateAt
  config: Pick<SenderConfig, 'OFFER_RECHECK_MS' | 'QUIET_HOURS_SPREAD_MS'>
  log: Logger
}

/** In the order of the deliveries. */
export type JudgeDeliveries = (held: readonly HeldDelivery[], now: number) => Promise<Verdict[]>

/**
 * Whether what waited, or is old, may still be sent. In this order: not in quiet hours, the newest of its kind, the offer
 * as good as it was, and the user's slot: nobody else's meanwhile, held from now on, and one of the day if that is not
 * the day it was admitted on. It is taken last, so that nothing takes one and is refused. Of what is fresh only the day is
 * looked at. Transactional ones are not judged.
 */
export const createJudge = (deps: JudgeDeps): JudgeDeliveries => {
  const { config, log } = deps

  /** Only its date may be another by now. */
  const isRecent = ({ waited, notification }: HeldDelivery, now: number): boolean =>
    !waited && isYoung(notification, now, config.OFFER_RECHECK_MS)

  const deferral = (notBefore: number, { notification }: HeldDelivery, code: WaitCode): Verdict => ({
    kind: 'defer',
    // What expires meanwhile is looked at when it does.
    notBefore: Math.min(notBefore, notification.expiresAt),
    code,
  })

  const judgeAlone = (held: HeldDelivery, now: number): Verdict | undefined => {
    if (trafficKindOf(held) === 'transactional') return { kind: 'send' }
    const { key, notification, recipient } = held
    const until = respectsQuietHours(notification, key.channel) ? quietUntil(recipient, now) : undefined
    if (until !== undefined) {
      return deferral(until + spreadOf(notification.userId, config.QUIET_HOURS_SPREAD_MS), held, 'QUIET_HOURS')
    }
    return !held.waited && isFresh(notification, now, config) ? { kind: 'send' } : undefined
  }

  const judgeOffers = async (held: readonly HeldDelivery[], now: number): Promise<Verdict[]> => {
    const old = held.filter((delivery) => !isRecent(delivery, now))
    const superseded = await deps.findSuperseded([...new Set(old.map(({ key }) => key.notificationId))])
    const offers = held.map((delivery) => (isRecent(delivery, now) ? undefined : offerOf(delivery.notification)))
    const states = await deps.readKnownStates(offers.filter((offer) => offer !== undefined))
    return held.map((delivery, index): Verdict => {
      if (superseded.has(delivery.key.notificationId)) return { kind: 'refuse', code: 'SUPERSEDED' }
      const offer = offers[index]
      const verdict = offer ? judgeOffer(offer, states.get(offer.productId) ?? {}) : 'good'
      if (verdict === 'unknown') return deferral(now + config.OFFER_RECHECK_MS, delivery, 'OFFER_UNKNOWN')
      return verdict === 'good' ? { kind: 'send' } : { kind: 'refuse', code: staleCodes[verdict] }
    })
  }

  /** Undefined for what is fresh, on the day on which it was admitted: that of where the user was then. */
  const resendOf = (held: HeldDelivery, now: number): ResendRequest | undefined => {
    const { userId, notificationId, notificationType: type, timestamp, eventId } = held.notification
    const { timezone } = held.recipient
    const date = deps.localDateAt(now, timezone)
    const isOtherDay = date !== deps.localDateAt(timestamp, held.plannedIn ?? timezone)
    if (!isOtherDay && isRecent(held, now)) return undefined
    const subject = subjectOf(held.notification)
    return { userId, subject, type, eventId: eventId ?? notificationId, notificationId, date, isOtherDay }
  }

  const takeSlots = async (held: readonly HeldDelivery[], verdicts: Verdict[], now: number): Promise<void> => {
    const requests = held.map((delivery, index) =>
      verdicts[index]?.kind === 'send' ? resendOf(delivery, now) : undefined,
    )
    const asked = requests.flatMap((request, index) => (request ? [{ request, index }] : []))
    const answers = await askForSlots(asked.map(({ request }) => request))
    for (const [position, { index }] of asked.entries()) {
      const answer = answers[position]
      if (answer === 'spoilt') {
        const delivery = held[index] as HeldDelivery
        verdicts[index] = deferral(now + config.OFFER_RECHECK_MS, delivery, 'SLOT_UNKNOWN')
      } else if (answer?.kind === 'daily-limit') verdicts[index] = { kind: 'refuse', code: 'DAILY_LIMIT' }
      else if (answer?.kind === 'duplicate') verdicts[index] = { kind: 'refuse', code: 'DUPLICATE' }
    }
  }

  /** A key that somebody spoilt is one user's bad luck. */
  const askForSlots = async (requests: readonly ResendRequest[]): Promise<(GateAnswer | 'spoilt')[]> => {
    try {
      return await deps.resend(requests)
    } catch (err) {
      if (!(err instanceof PermanentError)) throw err
      if (requests.length > 1) return (await Promise.all(requests.map((request) => askForSlots([request])))).flat()
      log.error({ err, userId: requests[0]?.userId }, 'slot of a user cannot be read')
      return ['spoilt']
    }
  }

  const judgeTogether = async (held: readonly HeldDelivery[], now: number): Promise<Verdict[]> => {
    try {
      const verdicts = await judgeOffers(held, now)
      await takeSlots(held, verdicts, now)
      return verdicts
    } catch (err) {
      if (!(err instanceof TransientError) || err.dependency === 'postgres') throw err
      log.warn({ err, records: held.length }, 'deliveries could not be judged, they wait')
      return held.map(() => ({ kind: 'give-back' }))
    }
  }

  return async (held, now) => {
    const verdicts = held.map((delivery) => judgeAlone(delivery, now))
    const open = held.filter((_, index) => verdicts[index] === undefined)
    const judged = open.length === 0 ? [] : await judgeTogether(open, now)
    let next = 0
    return verdicts.map((verdict) => verdict ?? (judged[next++] as Verdict))
  }
}

const staleCodes = { 'price-rose': 'PRICE_ROSE', 'sold-out': 'SOLD_OUT' } as const satisfies Partial<
  Record<OfferVerdict, RefusalCode>
>

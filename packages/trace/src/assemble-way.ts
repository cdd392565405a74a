import type { Detection } from '@dropbell/offers/detect-trigger'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { deliverySteps } from './delivery-steps.ts'
import { endingOf } from './ending-of.ts'
import type { AssemblyContext, FoundDeadLetter, FoundEvent, WayFacts } from './facts.ts'
import type { RefusalReason, Step, Way } from './trace.ts'
import { unknownsOf } from './unknowns-of.ts'

/** Puts together what the sources know of one way: the same facts always make the same timeline. */
export const assembleWay = (said: WayFacts, context: AssemblyContext): Way => {
  const facts = { ...said, outcomes: uniqueOutcomes(said.outcomes ?? []) }
  const steps = [
    ...eventSteps(facts),
    ...audienceSteps(facts),
    ...admissionSteps(facts),
    ...(facts.published ? [{ kind: 'published' as const, ...facts.published }] : []),
    ...(facts.deadLetters ?? []).filter(({ notificationId }) => notificationId !== null).map(deadLetterStep),
    ...deliverySteps(facts),
  ]
  const { notificationId, eventId, userId, productId, type, title } = facts
  return {
    ...{ notificationId, eventId, userId, productId, type, title },
    steps,
    ending: endingOf(steps),
    unknown: unknownsOf(facts, steps, context),
  }
}

/** What happened to the event before anybody was looked for. */
export const eventSteps = ({ events = [], deadLetters = [], detection }: WayFacts): Step[] => [
  ...events.map(receivedStep),
  ...deadLetters.filter(({ notificationId }) => notificationId === null).map(deadLetterStep),
  ...(detection ? [detectionStep(detection, events[0]?.at ?? null)] : []),
]

const receivedStep = ({ place, at, event, fault, replayCount }: FoundEvent): Step => ({
  kind: 'received',
  ...{ at, place, replayCount },
  eventType: event?.eventType ?? null,
  change: event ? describeChange(event) : `unreadable: ${fault}`,
})

const describeChange = (event: NonNullable<FoundEvent['event']>): string =>
  [
    ...(event.currentPrice === null ? [] : [`price ${event.previousPrice ?? '?'} → ${event.currentPrice}`]),
    ...(event.currentStock === null ? [] : [`stock ${event.previousStock ?? '?'} → ${event.currentStock}`]),
  ].join(', ') || 'neither price nor stock'

const deadLetterStep = ({ place, at, origin, group, reason, message, attempts }: FoundDeadLetter): Step => ({
  kind: 'dead-lettered',
  ...{ at, place, origin, group, reason, message, attempts },
})

const detectionStep = (detection: Detection, at: number | null): Step => {
  switch (detection.kind) {
    case 'ignored':
      return { kind: 'ignored', at, reason: detection.reason }
    case 'price-drop':
      return { kind: 'detected', at, trigger: 'price-drop', what: `${detection.dropPercentage} % cheaper` }
    case 'restock':
      return { kind: 'detected', at, trigger: 'restock', what: `${detection.currentStock} in stock again` }
  }
}

/** Whoever was told or refused was a target then, whatever the index says now. */
const audienceSteps = (facts: WayFacts): Step[] => {
  const { behaviour, detection, eventTimestamp } = facts
  if (behaviour === undefined || detection?.kind === 'ignored') return []
  const { match, nearest, rule } = behaviour
  if (match) return [{ kind: 'targeted', at: eventTimestamp, behaviour: match, days: rule.days }]
  if (facts.published || facts.ledger || (facts.outcomes ?? []).some(({ userId }) => userId !== null)) return []
  return [{ kind: 'not-targeted', at: eventTimestamp, actionTypes: rule.actionTypes, days: rule.days, nearest }]
}

const refusals: Readonly<Record<string, RefusalReason>> = {
  DUPLICATE: 'duplicate',
  DAILY_LIMIT: 'daily-limit',
  OPTED_OUT: 'opted-out',
  EXPIRED: 'expired',
}

/** A producer's refusal has revision 0, and so has a dead letter, which was admitted. */
const isRefusal = ({ revision, reason }: NotificationOutcome): boolean => revision === 0 && reason !== 'DEAD_LETTERED'

const admissionSteps = (facts: WayFacts): Step[] => {
  const { outcomes = [], published, ledger, slot, eventId, day } = facts
  // Of a replay: what was admitted before is there too.
  const refused = outcomes.filter(isRefusal).map((outcome): Step => {
    const { occurredAt: at, userId, reason, blockingEventId, dayCount } = outcome
    const word = userId === null ? 'fan-out-stopped' : (refusals[reason ?? ''] ?? 'expired')
    return { kind: 'refused', at, reason: word, blockingEventId, dayCount }
  })
  const holdsSlot = slot !== undefined && slot.eventId === eventId
  const wentOn = published !== undefined || ledger !== undefined || outcomes.some((outcome) => !isRefusal(outcome))
  if (!holdsSlot && !wentOn) return refused
  const admitted: Step = {
    kind: 'admitted',
    at: ledger?.composedAt ?? published?.at ?? null,
    localDate: (holdsSlot ? slot.date : day?.date) ?? null,
    countOfDay: day?.count ?? null,
  }
  return [admitted, ...refused]
}

/** The history has the newest of those that Kafka has. */
const uniqueOutcomes = (outcomes: readonly NotificationOutcome[]): NotificationOutcome[] => {
  const keyOf = ({ revision, occurredAt, status, reason }: NotificationOutcome): string =>
    JSON.stringify([revision, occurredAt, status, reason])
  return [...new Map(outcomes.map((outcome) => [keyOf(outcome), outcome])).values()]
}

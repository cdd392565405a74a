import type { LedgerEntry } from '@dropbell/database/ledger/read-entries'
import { notificationIdOf } from '@dropbell/notification-producer/notification-id'
import { type Detection, detectTrigger, type TriggerKind } from '@dropbell/offers/detect-trigger'
import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { assembleWay } from './assemble-way.ts'
import { localDateAt } from './describe-user.ts'
import type { FoundDeadLetter, Identity, WayFacts } from './facts.ts'
import type { FoundEvents } from './sources/find-events.ts'
import type { FoundNotifications } from './sources/find-notifications.ts'
import type { Way } from './trace.ts'
import type { TraceContext } from './tracer.ts'

/** What was found out about several ways at once. */
export interface Findings {
  readonly outcomes: readonly NotificationOutcome[]
  readonly entries: readonly LedgerEntry[]
  readonly events: FoundEvents | undefined
  readonly notifications: FoundNotifications | undefined
  /** In which the days of the users begin. */
  readonly timezone: string
}

const kinds: Readonly<Partial<Record<NotificationType, TriggerKind>>> = {
  PRICE_DROP: 'price-drop',
  BACK_IN_STOCK: 'restock',
}

/** Adds to the findings what has to be asked for each way by itself, and assembles it. */
export const lookInto = async (identity: Identity, findings: Findings, context: TraceContext): Promise<Way> => {
  const { inquiry, now } = context
  const facts = collectFacts(identity, findings, context)
  const [stop, behaviour, slot, day] = await Promise.all([
    findStop(facts, context),
    findBehaviour(facts, context),
    findSlot(identity, context),
    findDay(facts, findings.timezone, context),
  ])
  const coverage = findings.notifications?.coverage ?? findings.events?.coverage
  const outcomes = [...(facts.outcomes ?? []), ...stop]
  return assembleWay({ ...facts, outcomes, behaviour, slot, day }, { now, sources: inquiry.states(), coverage })
}

const collectFacts = (identity: Identity, findings: Findings, { rules }: TraceContext): WayFacts => {
  const { notificationId, eventId } = identity
  const isOurs = (id: string | null): boolean => id !== null && id === notificationId
  const events = (findings.events?.events ?? []).filter((found) => eventId !== null && found.eventId === eventId)
  const ofEvent = (findings.events?.deadLetters ?? []).filter(
    (letter) => eventId !== null && letter.eventId === eventId,
  )
  const letters: FoundDeadLetter[] = [
    ...ofEvent,
    ...(findings.notifications?.deadLetters ?? []).filter((letter) => isOurs(letter.notificationId)),
  ]
  const said = [...findings.outcomes, ...(findings.notifications?.outcomes ?? [])]
  const event = events.find((found) => found.event !== null)?.event
  return {
    ...identity,
    events,
    detection: event ? detectTrigger(event, rules) : undefined,
    published: findings.notifications?.published.findLast(({ notification }) => isOurs(notification.notificationId)),
    deadLetters: letters,
    ledger: findings.entries.find((entry) => isOurs(entry.notificationId)),
    outcomes: said.filter((outcome) => isOurs(outcome.notificationId)),
  }
}

/** Where a fan-out was stopped, one outcome stands for everybody who was not told yet. */
const findStop = async (facts: WayFacts, { inquiry }: TraceContext): Promise<readonly NotificationOutcome[]> => {
  const { eventId, type, outcomes = [], ledger, published } = facts
  if (eventId === null || type === null || outcomes.length > 0 || ledger || published) return []
  const stopId = notificationIdOf({ eventId, userId: null, type })
  return (await inquiry.ask('history', (history) => history.ofNotification(stopId))) ?? []
}

const findBehaviour = async (
  { userId, type, productId, eventTimestamp, detection }: WayFacts,
  { inquiry }: TraceContext,
) => {
  const kind = kindOf(type, detection)
  if (userId === null || kind === undefined || productId === null || eventTimestamp === null) return undefined
  const origin = { productId, timestamp: eventTimestamp }
  return inquiry.ask('behaviours', (behaviours) => behaviours.find(userId, kind, origin))
}

const kindOf = (type: NotificationType | null, detection: Detection | undefined): TriggerKind | undefined => {
  if (type !== null) return kinds[type]
  return detection === undefined || detection.kind === 'ignored' ? undefined : detection.kind
}

/** All recommendations of a day share one slot, whatever they recommend. */
const subjectOf = (type: NotificationType, productId: string): string =>
  type === 'RECOMMENDATION' ? 'DAILY_RECOMMENDATION' : productId

const findSlot = async ({ userId, type, productId }: Identity, { inquiry }: TraceContext) => {
  if (userId === null || type === null || productId === null || type === 'TRANSACTIONAL') return undefined
  return inquiry.ask('redis', (redis) => redis.slot(userId, subjectOf(type, productId), type))
}

const findDay = async ({ userId, ledger, published }: WayFacts, timezone: string, { inquiry }: TraceContext) => {
  const admittedAt = ledger?.composedAt ?? published?.at
  if (userId === null || admittedAt === undefined) return undefined
  const date = localDateAt(admittedAt, timezone)
  return { date, count: (await inquiry.ask('redis', (redis) => redis.countOfDay(userId, date))) ?? null }
}

import { notificationIdOf } from '@dropbell/notification-producer/notification-id'
import { detectTrigger } from '@dropbell/offers/detect-trigger'
import { notificationTypeSymbols } from '@dropbell/schemas/generated/notification-event'
import { describeUser, zoneOf } from './describe-user.ts'
import type { FoundDeadLetter, FoundEvent, Identity } from './facts.ts'
import {
  identityOfEntry,
  identityOfNotification,
  identityOfOutcome,
  newestFirst,
  uniqueIdentities,
} from './identity.ts'
import { type Findings, lookInto } from './look-into.ts'
import type { FoundEvents } from './sources/find-events.ts'
import type { Way } from './trace.ts'
import { clockSkewMs } from './trace-notification.ts'
import type { Answer, TraceContext } from './tracer.ts'

export interface UserQuery {
  readonly userId: string
  /** Of this product alone, and then its events too that came to nothing for this user. */
  readonly productId: string | null
  /** Of this event alone. */
  readonly eventId: string | null
}

const types = { 'price-drop': 'PRICE_DROP', restock: 'BACK_IN_STOCK' } as const

/** What a user was told and refused of late, the newest first. */
export const traceUser = async (query: UserQuery, context: TraceContext): Promise<Answer> => {
  const { userId, eventId } = query
  const { inquiry, limit, now } = context
  const productId = query.productId ?? undefined
  const [history = [], ofUser = []] = await Promise.all([askHistory(query, context), askLedger(query, context)])
  const asked = [...history.map(identityOfOutcome), ...ofUser.map(identityOfEntry)]
  const notifications = await inquiry.ask('kafka', (kafka) =>
    kafka.findNotifications({ userId, since: oldestOf(asked, context.since) }),
  )
  const isAsked = (identity: Identity): boolean =>
    (productId === undefined || identity.productId === productId) && (eventId === null || identity.eventId === eventId)
  const known = uniqueIdentities([
    ...asked,
    ...(notifications?.published ?? []).map(({ notification }) => identityOfNotification(notification)),
    ...(notifications?.outcomes ?? []).map(identityOfOutcome),
  ])
    .filter(isAsked)
    .sort(newestFirst)
    .slice(0, limit)

  const events = await findEvents(query, known, context)
  const others = productId === undefined && eventId === null ? [] : eventsWithoutWay(events, query, known, context)
  const identities = [...known, ...others].sort(newestFirst).slice(0, limit)
  const missing = identities.flatMap(({ notificationId: id }) =>
    id && !ofUser.some((entry) => entry.notificationId === id) ? id : [],
  )
  const late = missing.length > 0 ? await inquiry.ask('ledger', (source) => source.byId(missing)) : []
  const user = await describeUser(inquiry, userId, now)
  const findings: Findings = {
    outcomes: history,
    entries: [...ofUser, ...(late ?? [])],
    events,
    notifications,
    timezone: zoneOf(user),
  }
  const ways: Way[] = []
  for (const identity of identities) ways.push(await lookInto(identity, findings, context))
  const product = productId === undefined ? undefined : await inquiry.ask('redis', (redis) => redis.product(productId))
  return {
    found: ways.length > 0,
    event: null,
    user,
    product: product && productId !== undefined ? { productId, now: product } : null,
    ways,
  }
}

const askHistory = ({ userId, productId, eventId }: UserQuery, { inquiry, since, limit }: TraceContext) =>
  inquiry.ask('history', (source) =>
    eventId === null
      ? source.ofUser({ userId, productId: productId ?? undefined, since, limit })
      : source.ofEvent(eventId, limit, userId),
  )

/** What an event makes for a user has a name that follows from both. */
const askLedger = ({ userId, productId, eventId }: UserQuery, { inquiry, since, limit }: TraceContext) =>
  inquiry.ask('ledger', (source) =>
    eventId === null
      ? source.ofUser({ userId, productId: productId ?? undefined, since, limit })
      : source.byId(notificationTypeSymbols.map((type) => notificationIdOf({ eventId, userId, type }))),
  )

/** No record about these is older than what happened. */
const oldestOf = (identities: readonly Identity[], since: number): number =>
  Math.min(since, ...identities.flatMap(({ eventTimestamp }) => eventTimestamp ?? [])) - clockSkewMs

/** One look through the topic for all of them. */
const findEvents = (
  { productId, eventId }: UserQuery,
  known: readonly Identity[],
  { inquiry, since }: TraceContext,
): Promise<FoundEvents | undefined> => {
  const ofProducts = known.filter(({ type }) => type === 'PRICE_DROP' || type === 'BACK_IN_STOCK')
  const eventIds = [
    ...new Set([...ofProducts.flatMap((identity) => identity.eventId ?? []), ...(eventId ? [eventId] : [])]),
  ]
  const productIds = [
    ...new Set([...ofProducts.flatMap((identity) => identity.productId ?? []), ...(productId ? [productId] : [])]),
  ]
  if (eventIds.length === 0 && productIds.length === 0) return Promise.resolve(undefined)
  return inquiry.ask('kafka', (kafka) => kafka.findEvents({ eventIds, productIds, since: oldestOf(ofProducts, since) }))
}

/** Events that made no notification for this user, as far as anybody knows. */
const eventsWithoutWay = (
  found: FoundEvents | undefined,
  { userId, productId, eventId }: UserQuery,
  known: readonly Identity[],
  { rules }: TraceContext,
): Identity[] => {
  const knownEvents = new Set(known.map((identity) => identity.eventId))
  const isAsked = (id: string | null, product: string | null): boolean =>
    id !== null &&
    !knownEvents.has(id) &&
    (eventId === null || id === eventId) &&
    (productId === null || product === productId)
  const ofEvent = ({ eventId: id, event }: FoundEvent): Identity[] => {
    if (!isAsked(id, event?.productId ?? null) || id === null || event === null) return []
    const detection = detectTrigger(event, rules)
    const type = detection.kind === 'ignored' ? null : types[detection.kind]
    const notificationId = type === null ? null : notificationIdOf({ eventId: id, userId, type })
    return [
      {
        notificationId,
        eventId: id,
        userId,
        productId: event.productId,
        type,
        title: null,
        eventTimestamp: event.timestamp,
      },
    ]
  }
  const ofLetter = (letter: FoundDeadLetter): Identity[] =>
    isAsked(letter.eventId, letter.productId)
      ? [
          {
            notificationId: null,
            eventId: letter.eventId,
            userId,
            productId: letter.productId,
            type: null,
            title: null,
            eventTimestamp: letter.at,
          },
        ]
      : []
  const all = [...(found?.events ?? []).flatMap(ofEvent), ...(found?.deadLetters ?? []).flatMap(ofLetter)]
  return [...new Map(all.toReversed().map((identity) => [identity.eventId, identity])).values()]
}

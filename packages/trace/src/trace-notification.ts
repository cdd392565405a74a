import { describeUser, zoneOf } from './describe-user.ts'
import type { Identity } from './facts.ts'
import { identityOfEntry, identityOfNotification, identityOfOutcome } from './identity.ts'
import { lookInto } from './look-into.ts'
import type { FoundNotifications } from './sources/find-notifications.ts'
import type { Answer, TraceContext } from './tracer.ts'

// Clocks of other teams may be ahead of the broker's.
export const clockSkewMs = 60_000

/** One notification, by its id. */
export const traceNotification = async (notificationId: string, context: TraceContext): Promise<Answer> => {
  const { inquiry } = context
  const [history = [], entries = []] = await Promise.all([
    inquiry.ask('history', (source) => source.ofNotification(notificationId)),
    inquiry.ask('ledger', (source) => source.byId([notificationId])),
  ])
  const [named] = [...history.map(identityOfOutcome), ...entries.map(identityOfEntry)]
  const notifications = await inquiry.ask('kafka', (kafka) =>
    kafka.findNotifications(
      named?.userId
        ? { userId: named.userId, since: sinceOf(named, context) }
        : // Nobody else knows whose it is.
          { notificationId, since: context.since },
    ),
  )
  const identity = named ?? nameOf(notificationId, notifications)
  if (identity === undefined) return nothingKnown
  const { productId, eventId } = identity
  const isOfProduct = identity.type === 'PRICE_DROP' || identity.type === 'BACK_IN_STOCK'
  const events =
    isOfProduct && eventId !== null
      ? await inquiry.ask('kafka', (kafka) =>
          kafka.findEvents({
            eventIds: [eventId],
            productIds: productId ? [productId] : [],
            since: sinceOf(identity, context),
          }),
        )
      : undefined
  const user = identity.userId === null ? null : await describeUser(inquiry, identity.userId, context.now)
  const findings = { outcomes: history, entries, events, notifications, timezone: zoneOf(user) }
  const way = await lookInto(identity, findings, context)
  const product = isOfProduct && productId ? await inquiry.ask('redis', (redis) => redis.product(productId)) : undefined
  return {
    found: true,
    event: null,
    user,
    product: product && productId ? { productId, now: product } : null,
    ways: [way],
  }
}

export const nothingKnown: Answer = { found: false, event: null, user: null, product: null, ways: [] }

/** Its records cannot be older than what happened. */
export const sinceOf = ({ eventTimestamp }: Identity, { since }: TraceContext): number =>
  eventTimestamp === null ? since : eventTimestamp - clockSkewMs

const nameOf = (notificationId: string, found: FoundNotifications | undefined): Identity | undefined =>
  [
    ...(found?.published ?? []).map(({ notification }) => identityOfNotification(notification)),
    ...(found?.outcomes ?? []).map(identityOfOutcome),
  ].find((identity) => identity.notificationId === notificationId)

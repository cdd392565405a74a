import { detectTrigger } from '@dropbell/offers/detect-trigger'
import { assembleWay, eventSteps } from './assemble-way.ts'
import { endingOf } from './ending-of.ts'
import type { WayFacts } from './facts.ts'
import { identityOfEntry, identityOfOutcome, uniqueIdentities } from './identity.ts'
import type { FoundEvents } from './sources/find-events.ts'
import type { EventSummary } from './trace.ts'
import { nothingKnown } from './trace-notification.ts'
import type { Answer, TraceContext } from './tracer.ts'
import { unknownsOf } from './unknowns-of.ts'

/** All that became of an event. Of each user only what the history and the ledger say. */
export const traceEvent = async (eventId: string, context: TraceContext): Promise<Answer> => {
  const { inquiry, limit, now } = context
  const history = await inquiry.ask('history', (source) => source.ofEvent(eventId, limit))
  const entries =
    (await inquiry.ask('ledger', (source) =>
      history !== undefined && history.length > 0
        ? source.byId(history.map(({ notificationId }) => notificationId))
        : source.ofEvent(eventId, limit),
    )) ?? []
  const named = uniqueIdentities([...(history ?? []).map(identityOfOutcome), ...entries.map(identityOfEntry)])
  const found = await findEvent(
    eventId,
    named[0]?.productId ?? undefined,
    named[0]?.eventTimestamp ?? undefined,
    context,
  )
  if (named.length === 0 && !isFound(found)) return nothingKnown

  const sources = inquiry.states()
  const ways = named.map((identity) => {
    const isOurs = ({ notificationId }: { notificationId: string }) => notificationId === identity.notificationId
    const facts = { ...identity, ledger: entries.find(isOurs), outcomes: (history ?? []).filter(isOurs) }
    // What happened before its users were looked for is the same for all: it is said once.
    return { ...assembleWay(facts, { now, sources, coverage: undefined }), unknown: [] }
  })
  return {
    found: true,
    event: await summarise(eventId, found, named[0]?.productId ?? null, context),
    user: null,
    product: null,
    ways,
  }
}

const isFound = (found: FoundEvents | undefined): boolean =>
  found !== undefined && found.events.length + found.deadLetters.length > 0

/** Where the product is known one partition will do, unless somebody wrote it elsewhere. */
const findEvent = async (
  eventId: string,
  productId: string | undefined,
  timestamp: number | undefined,
  { inquiry, since }: TraceContext,
): Promise<FoundEvents | undefined> => {
  const from = Math.min(since, timestamp ?? since)
  const onlyThis = (found: FoundEvents): FoundEvents => ({
    ...found,
    events: found.events.filter((event) => event.eventId === eventId),
    deadLetters: found.deadLetters.filter((letter) => letter.eventId === eventId),
  })
  const find = (productIds: string[]) =>
    inquiry.ask('kafka', async (kafka) =>
      onlyThis(await kafka.findEvents({ eventIds: [eventId], productIds, since: from })),
    )
  const narrow = productId === undefined ? undefined : await find([productId])
  return isFound(narrow) ? narrow : find([])
}

const summarise = async (
  eventId: string,
  found: FoundEvents | undefined,
  knownProduct: string | null,
  { inquiry, rules, now }: TraceContext,
): Promise<EventSummary> => {
  const event = found?.events.find((one) => one.event !== null)?.event ?? undefined
  const detection = event && detectTrigger(event, rules)
  const facts: WayFacts = {
    ...{ notificationId: null, eventId, userId: null, type: null, title: null },
    productId: event?.productId ?? knownProduct,
    eventTimestamp: event?.timestamp ?? null,
    events: found?.events ?? [],
    deadLetters: found?.deadLetters ?? [],
    detection,
  }
  const steps = eventSteps(facts)
  const kind = detection === undefined || detection.kind === 'ignored' ? undefined : detection.kind
  const state = kind && (await inquiry.ask('redis', (redis) => redis.fanout(kind, eventId)))
  const isFanout = state !== undefined && (state.reached !== undefined || state.ended || state.handedOverAt > 0)
  const outcomes = (await inquiry.ask('history', (source) => source.countOutcomes(eventId))) ?? null
  const unknown = unknownsOf(facts, steps, { now, sources: inquiry.states(), coverage: found?.coverage })
  return {
    ...{ eventId, productId: facts.productId, steps, outcomes },
    ending: endingOf(steps),
    fanout: isFanout ? { servedUsers: state.reached?.servedUsers ?? state.handedOverAt, ended: state.ended } : null,
    unknown: unknown.filter(({ what }) => what === 'event'),
  }
}

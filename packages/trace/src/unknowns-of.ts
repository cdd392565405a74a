import { notificationPushTopic, productInventoryTopic, type TopicDeclaration } from '@dropbell/schemas/topics'
import type { AssemblyContext, WayFacts } from './facts.ts'
import type { SourceName, Step, Unknown, UnknownWhat } from './trace.ts'

const dayMs = 86_400_000

/** What belongs to this way and is missing, each with the reason. */
export const unknownsOf = (facts: WayFacts, steps: readonly Step[], context: AssemblyContext): Unknown[] => {
  const kinds = new Set(steps.map(({ kind }) => kind))
  const isOfProduct = facts.type === null || facts.type === 'PRICE_DROP' || facts.type === 'BACK_IN_STOCK'
  const ended = kinds.has('ignored') || kinds.has('not-targeted')
  const wasAdmitted = kinds.has('admitted')
  const wasRefused = kinds.has('refused')
  const isDeadBefore = kinds.has('dead-lettered') && !wasAdmitted && !wasRefused
  const isOver = ended || wasRefused || isDeadBefore

  const missing: (Unknown | undefined)[] = [
    isOfProduct && !kinds.has('received') ? ofRecord('event', productInventoryTopic, facts, context) : undefined,
    isOfProduct && !kinds.has('targeted') && !ended && !isDeadBefore ? ofAudience(facts, context) : undefined,
    wasAdmitted && facts.type !== 'TRANSACTIONAL' ? ofSlot(facts, context) : undefined,
    wasAdmitted && !kinds.has('published') ? ofRecord('publication', notificationPushTopic, facts, context) : undefined,
    wasAdmitted && !kinds.has('planned') ? ofLedger(facts, kinds.has('dead-lettered'), context) : undefined,
    hasGaps(steps)
      ? unknown(
          'earlier-attempts',
          'past-retention',
          'Each outcome tells of the last attempt at a target; those before are gone with their records.',
        )
      : undefined,
    !kinds.has('outcome') && !isOver ? ofOutcome(wasAdmitted, context) : undefined,
  ]
  return missing.filter((one) => one !== undefined)
}

const unknown = (what: UnknownWhat, why: Unknown['why'], detail: string): Unknown => ({ what, why, detail })

const names: Readonly<Record<SourceName, string>> = {
  history: 'The history',
  ledger: 'Postgres',
  redis: 'Redis',
  kafka: 'Kafka',
  behaviours: 'The index of behaviours',
}

const unavailable = (what: UnknownWhat, source: SourceName, { sources }: AssemblyContext): Unknown | undefined => {
  if (sources[source] === 'unavailable')
    return unknown(what, 'source-unavailable', `${names[source]} could not answer.`)
  if (sources[source] === 'not-configured')
    return unknown(what, 'source-unavailable', `${names[source]} is not configured.`)
  return undefined
}

const ofRecord = (
  what: UnknownWhat,
  { name, retentionMs }: TopicDeclaration,
  { eventTimestamp }: WayFacts,
  context: AssemblyContext,
): Unknown => {
  const down = unavailable(what, 'kafka', context)
  if (down) return down
  const { now, coverage } = context
  if (eventTimestamp !== null && eventTimestamp < now - retentionMs) {
    return unknown(what, 'past-retention', `${name} keeps its records for ${retentionMs / dayMs} days.`)
  }
  if (coverage === undefined) return unknown(what, 'beyond-scan', `${name} was not looked through for it.`)
  const since = new Date(coverage.since).toISOString()
  if (coverage.cut) {
    return unknown(
      what,
      'beyond-scan',
      `Not among the records of ${name} since ${since} that may be looked through; raise --scan-records.`,
    )
  }
  return unknown(what, 'beyond-scan', `Not in ${name} since ${since}; look further back with --since.`)
}

const ofAudience = ({ type, eventTimestamp, behaviour }: WayFacts, context: AssemblyContext): Unknown => {
  const down = unavailable('audience', 'behaviours', context)
  if (down) return down
  if (behaviour) {
    const detail = 'The user was a target, but the index of behaviours has nothing left that would make one.'
    return unknown('audience', 'forgotten', detail)
  }
  return type === null || eventTimestamp === null
    ? unknown('audience', 'not-recorded', 'Whether the user was a target follows from the event, and that is unknown.')
    : unknown('audience', 'not-recorded', 'Nobody was asked for the behaviours of the user.')
}

const ofSlot = ({ slot, eventId, eventTimestamp }: WayFacts, context: AssemblyContext): Unknown | undefined => {
  if (slot?.eventId === eventId && slot !== undefined) return undefined
  const down = unavailable('slot', 'redis', context)
  if (down) return down
  if (slot)
    return unknown('slot', 'forgotten', `The slot of the user, product and type is held by ${slot.eventId} by now.`)
  if (eventTimestamp === null) return undefined
  return unknown(
    'slot',
    'forgotten',
    'Redis keeps the slot for an hour (DUPLICATE_PREVENTION_HOURS) and the count of a day for 51 hours.',
  )
}

const ofLedger = (
  { eventTimestamp }: WayFacts,
  isDeadLetter: boolean,
  context: AssemblyContext,
): Unknown | undefined => {
  const down = unavailable('delivery', 'ledger', context)
  if (down) return down
  if (isDeadLetter) return undefined
  return eventTimestamp !== null && eventTimestamp < context.now - 2 * dayMs
    ? unknown('delivery', 'forgotten', '`dropbell db prune` deletes what expired and is settled.')
    : unknown('delivery', 'not-yet', 'push-sender has not planned it: is it running, and does push-sender-group lag?')
}

const ofOutcome = (wasAdmitted: boolean, context: AssemblyContext): Unknown => {
  const down = unavailable('outcome', 'history', context)
  if (down) return down
  return wasAdmitted
    ? unknown('outcome', 'not-yet', 'It has no outcome yet, or history-indexer has not indexed it.')
    : unknown(
        'outcome',
        'not-recorded',
        'Neither told nor refused, as far as anybody knows: it may be under way, or HISTORY_REFUSALS is off.',
      )
}

/** Attempts count from 1. */
const hasGaps = (steps: readonly Step[]): boolean => {
  const seen = new Map<string, Set<number>>()
  for (const step of steps) {
    if (step.kind !== 'attempted') continue
    const key = `${step.channel} ${step.target}`
    seen.set(key, (seen.get(key) ?? new Set()).add(step.attempt))
  }
  return [...seen.values()].some((attempts) => Math.max(...attempts) > attempts.size)
}

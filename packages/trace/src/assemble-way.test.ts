import type { LedgerDelivery, LedgerEntry } from '@dropbell/database/ledger/read-entries'
import { acceptedResult, sampleOutcome } from '@dropbell/schemas/testing/sample-outcome'
import { describe, expect, it } from 'vitest'
import { assembleWay } from './assemble-way.ts'
import type { AssemblyContext, FoundDeadLetter, FoundEvent, WayFacts } from './facts.ts'
import type { Way } from './trace.ts'

const happened = Date.UTC(2026, 0, 15, 3)
const context: AssemblyContext = {
  now: happened + 60_000,
  sources: { history: 'answered', ledger: 'answered', redis: 'answered', kafka: 'answered', behaviours: 'answered' },
  coverage: { since: happened - 60_000, cut: false },
}

const event = {
  ...{ eventId: 'evt-1', productId: 'P-1', eventType: 'PRICE_CHANGE' as const, timestamp: happened },
  ...{ previousPrice: 100, currentPrice: 80, previousStock: null, currentStock: null },
}
const received: FoundEvent = {
  place: { topic: 'product.inventory.v1', partition: 3, offset: '17' },
  at: happened + 5,
  ...{ eventId: 'evt-1', event, fault: null, replayCount: 0 },
}
const rule = { actionTypes: ['VIEW', 'CLICK', 'ADD_TO_CART'], days: 30 }
const viewed = { actionType: 'VIEW', at: happened - 1_000 }

const delivery = (said: Partial<LedgerDelivery> = {}): LedgerDelivery => ({
  ...{ channel: 'PUSH', targetId: 'device-1', status: 'SUCCESS', code: null, attempt: 1 },
  ...{ attemptedAt: happened + 790, notBefore: null, retryable: false, nextRetryAt: null, latencyMs: 12 },
  ...{ settledAt: happened + 800, invalidDevice: null },
  ...said,
})

const entry = (deliveries: LedgerDelivery[], said: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ notificationId: 'n-1', userId: 'user-1', type: 'PRICE_DROP', productId: 'P-1', eventId: 'evt-1', title: '' },
  ...{
    plannedAt: happened + 100,
    composedAt: happened + 50,
    eventTimestamp: happened,
    expiresAt: happened + 86_400_000,
  },
  refusal: null,
  deliveries,
  ...said,
})

const deadLetter = (said: Partial<FoundDeadLetter> = {}): FoundDeadLetter => ({
  place: { topic: 'product.inventory.v1.dlq', partition: 3, offset: '0' },
  at: happened + 4_000,
  ...{ eventId: 'evt-1', notificationId: null, productId: 'P-1', origin: 'product.inventory.v1 3:17', attempts: 4 },
  ...{ group: 'notification-consumer-group', reason: 'TransientError.REDIS_UNAVAILABLE', message: 'Redis is away' },
  ...said,
})

/** Told of the drop, as far as nobody says otherwise. */
const facts = (said: Partial<WayFacts> = {}): WayFacts => ({
  ...{ notificationId: 'n-1', eventId: 'evt-1', userId: 'user-1', productId: 'P-1', type: 'PRICE_DROP', title: null },
  eventTimestamp: happened,
  events: [received],
  detection: { kind: 'price-drop', dropPercentage: 20, previousPrice: 100, currentPrice: 80 },
  behaviour: { rule, match: viewed, nearest: null },
  ...said,
})

const sent = (said: Partial<WayFacts> = {}): WayFacts =>
  facts({
    slot: { eventId: 'evt-1', date: '2026-01-15' },
    day: { date: '2026-01-15', count: 3 },
    published: { place: { topic: 'notification.push.v1', partition: 1, offset: '9' }, at: happened + 60 },
    ledger: entry([delivery()]),
    outcomes: [sampleOutcome()],
    ...said,
  })

const kindsOf = ({ steps }: Way): string[] => steps.map(({ kind }) => kind)
const unknownOf = ({ unknown }: Way): string[] => unknown.map(({ what, why }) => `${what}: ${why}`)

describe('the way of one that was sent', () => {
  const way = assembleWay(sent(), context)

  it('has every step in order, and nothing unknown', () => {
    const kinds = ['received', 'detected', 'targeted', 'admitted', 'published', 'planned', 'attempted', 'outcome']
    expect(kindsOf(way)).toEqual(kinds)
    expect(way).toMatchObject({ ending: { status: 'SENT', reason: null }, unknown: [] })
    expect(way.steps[3]).toMatchObject({ localDate: '2026-01-15', countOfDay: 3, at: happened + 50 })
  })

  it('is the same whoever tells of an outcome and how often', () => {
    const outcomes = [sampleOutcome(), sampleOutcome()]
    expect(assembleWay(sent({ outcomes }), context)).toEqual(way)
  })
})

describe('attempts', () => {
  const first = sampleOutcome({
    ...{ status: 'DEFERRED', reason: 'UNAVAILABLE', revision: 1, occurredAt: happened + 900 },
    results: [acceptedResult({ code: 'UNAVAILABLE', at: happened + 850 })],
  })
  const second = sampleOutcome({
    ...{ revision: 2, occurredAt: happened + 2_000 },
    results: [acceptedResult({ attempt: 2, at: happened + 1_900 })],
  })
  const ledger = entry([delivery({ attempt: 2, settledAt: happened + 1_900 })])

  it('are put together from all revisions', () => {
    const way = assembleWay(sent({ outcomes: [second, first], ledger }), context)
    expect(way.steps.flatMap((step) => (step.kind === 'attempted' ? [[step.attempt, step.code]] : []))).toEqual([
      [1, 'UNAVAILABLE'],
      [2, null],
    ])
    expect(way.ending.status).toBe('SENT')
    expect(way.unknown).toEqual([])
  })

  it('that nobody has any more are said to be missing', () => {
    expect(unknownOf(assembleWay(sent({ outcomes: [second], ledger }), context))).toEqual([
      'earlier-attempts: past-retention',
    ])
  })

  it('name the device that was given up', () => {
    const dead = delivery({
      ...{ status: 'FAIL', code: 'UNREGISTERED' },
      invalidDevice: { reason: 'UNREGISTERED', at: happened + 801 },
    })
    const way = assembleWay(sent({ ledger: entry([dead]), outcomes: [] }), context)
    expect(kindsOf(way)).toEqual(expect.arrayContaining(['attempted', 'device-invalid']))
    expect(way.ending).toEqual({ status: 'FAILED', reason: 'UNREGISTERED' })
    expect(unknownOf(way)).toEqual(['outcome: not-yet'])
  })
})

describe('what was not sent', () => {
  const refused = (said: Parameters<typeof sampleOutcome>[0]) =>
    assembleWay(facts({ outcomes: [sampleOutcome({ revision: 0, results: [], ...said })] }), context)

  it.each([
    [
      'duplicate',
      { status: 'RATE_LIMITED', reason: 'DUPLICATE', blockingEventId: 'evt-0' },
      { blockingEventId: 'evt-0' },
    ],
    ['daily-limit', { status: 'RATE_LIMITED', reason: 'DAILY_LIMIT', dayCount: 10 }, { dayCount: 10 }],
    ['opted-out', { status: 'USER_OPTED_OUT', reason: 'OPTED_OUT' }, {}],
    ['expired', { status: 'EXPIRED', reason: 'EXPIRED' }, {}],
    ['fan-out-stopped', { status: 'STALE', reason: 'PRICE_ROSE', userId: null }, {}],
  ] as const)('was refused: %s', (reason, outcome, detail) => {
    const way = refused(outcome)
    expect(kindsOf(way)).toEqual(['received', 'detected', 'targeted', 'refused', 'outcome'])
    expect(way.steps[3]).toMatchObject({ reason, ...detail })
    expect(way).toMatchObject({ ending: { status: outcome.status }, unknown: [] })
  })

  it('waits until its time', () => {
    const waiting = delivery({
      status: 'READY',
      code: 'QUIET_HOURS',
      attempt: 0,
      attemptedAt: null,
      settledAt: null,
      notBefore: happened + 9_000,
    })
    const way = assembleWay(sent({ ledger: entry([waiting]), outcomes: [] }), context)
    expect(way.steps.at(-1)).toMatchObject({ kind: 'deferred', until: happened + 9_000, code: 'QUIET_HOURS' })
    expect(way.ending).toEqual({ status: 'DEFERRED', reason: 'QUIET_HOURS' })
  })

  it('was withheld after an attempt that failed', () => {
    const late = delivery({ status: 'FAIL', code: 'PRICE_ROSE', attempt: 1, latencyMs: null })
    const way = assembleWay(sent({ ledger: entry([late]), outcomes: [] }), context)
    expect(kindsOf(way)).toContain('withheld')
    expect(way.ending).toEqual({ status: 'STALE', reason: 'PRICE_ROSE' })
  })

  it('was for somebody who is no target', () => {
    const way = assembleWay(facts({ behaviour: { rule, match: null, nearest: viewed } }), context)
    expect(kindsOf(way)).toEqual(['received', 'detected', 'not-targeted'])
    expect(way).toMatchObject({ ending: { status: 'NOT_A_TARGET' }, unknown: [] })
  })

  it('was not worth telling', () => {
    const detection = { kind: 'ignored', reason: 'price-not-lower' } as const
    const way = assembleWay(facts({ type: null, notificationId: null, detection }), context)
    expect(kindsOf(way)).toEqual(['received', 'ignored'])
    expect(way).toMatchObject({ ending: { status: 'IGNORED', reason: 'price-not-lower' }, unknown: [] })
  })

  it('was given up with its event', () => {
    const way = assembleWay(facts({ deadLetters: [deadLetter()] }), context)
    expect(way.ending).toEqual({ status: 'DEAD_LETTERED', reason: 'TransientError.REDIS_UNAVAILABLE' })
    expect(way.unknown).toEqual([])
  })

  it('was given up by its sender, after it was admitted and published', () => {
    const outcomes = [sampleOutcome({ revision: 0, status: 'FAILED', reason: 'DEAD_LETTERED', results: [] })]
    const letters = [deadLetter({ notificationId: 'n-1' })]
    const way = assembleWay(sent({ ledger: undefined, outcomes, deadLetters: letters }), context)
    const kinds = ['received', 'detected', 'targeted', 'admitted', 'published', 'dead-lettered', 'outcome']
    expect(kindsOf(way)).toEqual(kinds)
    expect(way).toMatchObject({ ending: { status: 'FAILED', reason: 'DEAD_LETTERED' }, unknown: [] })
  })
})

describe('what is unknown', () => {
  it('says that Kafka has kept neither the event nor the publication', () => {
    const old = sent({ events: [], detection: undefined, published: undefined, slot: undefined })
    const later = { ...context, now: happened + 20 * 86_400_000 }
    expect(unknownOf(assembleWay(old, later))).toEqual([
      'event: past-retention',
      'slot: forgotten',
      'publication: past-retention',
    ])
  })

  it('says that more records would have to be looked through', () => {
    const cut = { ...context, coverage: { since: happened, cut: true } }
    const [event] = assembleWay(sent({ events: [] }), cut).unknown
    expect(event).toMatchObject({
      what: 'event',
      why: 'beyond-scan',
      detail: expect.stringContaining('--scan-records'),
    })
  })

  it.each([
    ['kafka', { events: [], published: undefined }, ['event', 'publication']],
    ['behaviours', { behaviour: undefined }, ['audience']],
    ['redis', { slot: undefined }, ['slot']],
    ['ledger', { ledger: undefined }, ['delivery']],
    ['history', { outcomes: [] }, ['outcome']],
  ] as const)('says that %s could not answer', (source, missing, expected) => {
    const down = { ...context, sources: { ...context.sources, [source]: 'unavailable' as const } }
    const { unknown } = assembleWay(sent(missing), down)
    expect(unknown.map(({ what }) => what)).toEqual(expected)
    expect(new Set(unknown.map(({ why }) => why))).toEqual(new Set(['source-unavailable']))
  })

  it('says that nobody has planned it yet', () => {
    const way = assembleWay(sent({ ledger: undefined, outcomes: [] }), context)
    expect(way.ending.status).toBe('UNDER_WAY')
    expect(unknownOf(way)).toEqual(['delivery: not-yet', 'outcome: not-yet'])
  })

  it('says who holds the slot by now', () => {
    const [slot] = assembleWay(sent({ slot: { eventId: 'evt-9', date: '2026-01-15' } }), context).unknown
    expect(slot).toMatchObject({ what: 'slot', why: 'forgotten', detail: expect.stringContaining('evt-9') })
  })

  it('does not take the behaviours of now for those of then', () => {
    const way = assembleWay(sent({ behaviour: { rule, match: null, nearest: null } }), context)
    expect(kindsOf(way)).not.toContain('not-targeted')
    expect(unknownOf(way)).toEqual(['audience: forgotten'])
  })

  it('asks for no inventory event behind a reminder', () => {
    const reminder = sent({ type: 'REMINDER', events: [], detection: undefined, behaviour: undefined })
    expect(assembleWay(reminder, context).unknown).toEqual([])
  })
})

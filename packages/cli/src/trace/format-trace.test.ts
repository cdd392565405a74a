import type { Trace, Way } from '@dropbell/trace/trace'
import { describe, expect, it } from 'vitest'
import { createMomentFormat, momentFormatOf } from './format-moment.ts'
import { formatTrace } from './format-trace.ts'

const plain = (_: unknown, text: string): string => text
const noon = Date.UTC(2026, 0, 15, 3)

const way: Way = {
  ...{ notificationId: 'n-1', eventId: 'evt-2', userId: 'user-1', productId: 'P-1', type: 'PRICE_DROP', title: null },
  steps: [
    {
      ...{ kind: 'received', at: noon, place: { topic: 'product.inventory.v1', partition: 3, offset: '17' } },
      ...{ eventType: 'PRICE_CHANGE', change: 'price 80 → 60', replayCount: 0 },
    },
    { kind: 'targeted', at: noon, behaviour: { actionType: 'VIEW', at: noon - 60_000 }, days: 30 },
    { kind: 'refused', at: noon + 5, reason: 'duplicate', blockingEventId: 'evt-1', dayCount: null },
    { kind: 'outcome', at: noon + 5, status: 'RATE_LIMITED', reason: 'DUPLICATE', revision: 0 },
  ],
  ending: { status: 'RATE_LIMITED', reason: 'DUPLICATE' },
  unknown: [{ what: 'slot', why: 'forgotten', detail: 'Redis keeps it for an hour.' }],
}

const trace: Trace = {
  question: { kind: 'user', userId: 'user-1', productId: null },
  found: true,
  event: null,
  user: {
    ...{ userId: 'user-1', timezone: 'Asia/Seoul', optedOut: [], channels: ['PUSH'], quietHours: null },
    today: { date: '2026-01-15', count: 1 },
  },
  product: null,
  ways: [way],
  sources: [{ source: 'redis', state: 'unavailable', detail: 'Redis did not answer' }],
}

describe('a trace', () => {
  it('is a timeline in the zone of the user, with what is unknown and who could not be asked', () => {
    expect(formatTrace(trace, plain)).toBe(
      `User user-1 now: Asia/Seoul, channels PUSH; opted out of nothing; no quiet hours; 1 counted for 2026-01-15

PRICE_DROP of P-1 for user-1: RATE_LIMITED (DUPLICATE)
  event evt-2, notification n-1
  2026-01-15T12:00:00.000+09:00  received  PRICE_CHANGE (price 80 → 60) in product.inventory.v1 3:17
  2026-01-15T12:00:00.000+09:00  targeted  a target by VIEW at 2026-01-15T11:59:00.000+09:00, within 30 days
  2026-01-15T12:00:00.005+09:00  refused   refused: duplicate of event evt-1
  2026-01-15T12:00:00.005+09:00  outcome   RATE_LIMITED (DUPLICATE), revision 0
  unknown: slot. Redis keeps it for an hour.

redis unavailable: Redis did not answer`,
    )
  })

  it('lets nothing from a record move the cursor', () => {
    const evil = 'a\u001b[2Jb\u202ec\u009b'
    const steps = [{ kind: 'device-invalid', at: noon, target: evil, reason: evil } as const]
    const ids = { notificationId: evil, eventId: evil, userId: evil, productId: evil }
    const unknown = [{ what: 'slot', why: 'forgotten', detail: evil } as const]
    const badWay: Way = { ...way, ...ids, steps, unknown, ending: { status: 'FAILED', reason: evil } }
    const event = {
      ...{ eventId: evil, productId: evil, steps, unknown, fanout: null, ending: badWay.ending },
      outcomes: [{ status: 'FAILED', reason: evil, count: 1 } as const],
    }
    const user = { ...(trace.user as NonNullable<Trace['user']>), userId: evil, optedOut: [evil], channels: [evil] }
    const product = { productId: evil, now: { price: null, stock: null } }
    const bad = { ...trace, user, product, ways: [badWay] } as unknown as Trace
    for (const shown of [formatTrace(bad, plain), formatTrace({ ...bad, event } as Trace, plain)]) {
      for (const control of ['\u001b', '\u202e', '\u009b']) expect(shown).not.toContain(control)
    }
  })
})

describe('a moment', () => {
  it.each([
    ['UTC', '2026-01-15T03:00:00.000+00:00'],
    ['Asia/Kolkata', '2026-01-15T08:30:00.000+05:30'],
    ['America/New_York', '2026-01-14T22:00:00.000-05:00'],
  ])('in %s has its offset', (zone, expected) => {
    expect(createMomentFormat(zone)(noon)).toBe(expected)
    expect(Date.parse(expected)).toBe(noon)
  })

  it('in a zone that does not exist is in that of the operator', () => {
    expect(Date.parse(momentFormatOf('Mars/Olympus')(noon))).toBe(noon)
  })
})

import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { afterEach, describe, expect, it } from 'vitest'
import type { SlotRequest } from './gate.ts'
import { type OpenGate, openGate, sampleSlot } from './testing/open-gate.ts'

const opened: OpenGate[] = []
afterEach(async () => {
  for (const gate of opened.splice(0)) await gate.close()
})

const open = (env: Record<string, string> = {}, prefix?: string): OpenGate => {
  const gate = openGate({ ...testEnv(), ...env }, prefix)
  opened.push(gate)
  return gate
}

const times = (count: number, make: (index: number) => Partial<SlotRequest>): SlotRequest[] =>
  Array.from({ length: count }, (_, index) => ({ ...sampleSlot, ...make(index) }))

/** As many events of as many products as it takes to have had so many that day. */
const useSlots = async ({ gate }: OpenGate, count: number, slot: Partial<SlotRequest> = {}): Promise<void> => {
  const answers = await gate.admit(times(count, (n) => ({ ...slot, subject: `used-${n}`, eventId: `used-${n}` })))
  expect(answers.map(({ kind }) => kind)).toEqual(Array(count).fill('admitted'))
}

describe('the gate', () => {
  it('admits, and holds the slot for an hour with the event and the local date', async () => {
    const { gate, keys, observer } = open()
    expect(await gate.admit([sampleSlot])).toEqual([{ kind: 'admitted', dayCount: 1 }])
    const sent = keys.sent('user-1', 'P-1', 'PRICE_DROP')
    expect(await observer.get(sent)).toBe('2026-01-15 evt-1')
    expect(await observer.pttl(sent)).toSatisfy((ttl: number) => ttl > 3_590_000 && ttl <= 3_600_000)
  })

  it('counts the day in a key that outlives the date everywhere on earth, whatever comes after the first', async () => {
    const opened = open()
    const { keys, observer } = opened
    await useSlots(opened, 3)
    const daily = keys.daily('user-1', '2026-01-15')
    expect(await observer.get(daily)).toBe('3')
    expect(await observer.pttl(daily)).toBeGreaterThan(50 * 3_600_000)
  })

  it('does not block an event by its own slot, and does not count it again', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([sampleSlot])
    expect(await gate.admit([sampleSlot, sampleSlot])).toEqual([{ kind: 'held' }, { kind: 'held' }])
    expect(await observer.get(keys.daily('user-1', '2026-01-15'))).toBe('1')
  })

  it('lets an event go on that holds its slot at the limit, or since before midnight', async () => {
    const opened = open()
    await opened.gate.admit([sampleSlot])
    await useSlots(opened, 9)
    const tomorrow = { ...sampleSlot, date: '2026-01-16' }
    expect(await opened.gate.admit([sampleSlot, tomorrow])).toEqual([{ kind: 'held' }, { kind: 'held' }])
    expect(await opened.observer.exists(opened.keys.daily('user-1', '2026-01-16'))).toBe(0)
  })

  it('names the event that blocks a duplicate, and writes nothing for it', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([{ ...sampleSlot, eventId: 'an event: with {odd} 문자' }])
    expect(await gate.admit([{ ...sampleSlot, eventId: 'evt-2' }])).toEqual([
      { kind: 'duplicate', blockingEventId: 'an event: with {odd} 문자' },
    ])
    expect(await observer.get(keys.daily('user-1', '2026-01-15'))).toBe('1')
  })

  it('tells products, types and users apart', async () => {
    const { gate } = open()
    const others = [{}, { subject: 'P-2' }, { type: 'BACK_IN_STOCK' }, { userId: 'user-2' }] as const
    const answers = await gate.admit(others.map((other) => ({ ...sampleSlot, ...other })))
    expect(answers.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted', 'admitted'])
  })

  it('admits again when the slot has run out', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([sampleSlot])
    await observer.del(keys.sent('user-1', 'P-1', 'PRICE_DROP'))
    expect(await gate.admit([{ ...sampleSlot, eventId: 'evt-2' }])).toEqual([{ kind: 'admitted', dayCount: 2 }])
  })

  it('blocks the 11th of the day, and leaves no trace of it', async () => {
    const opened = open()
    const { gate, keys, observer } = opened
    await useSlots(opened, 10)
    expect(await gate.admit([sampleSlot])).toEqual([{ kind: 'daily-limit', dayCount: 10 }])
    expect(await observer.exists(keys.sent('user-1', 'P-1', 'PRICE_DROP'))).toBe(0)
    expect(await observer.get(keys.daily('user-1', '2026-01-15'))).toBe('10')
  })

  it('counts each local date for itself', async () => {
    const opened = open()
    await useSlots(opened, 10)
    const tomorrow = { ...sampleSlot, date: '2026-01-16' }
    expect(await opened.gate.admit([sampleSlot, tomorrow])).toEqual([
      { kind: 'daily-limit', dayCount: 10 },
      { kind: 'admitted', dayCount: 1 },
    ])
  })

  it('admits exactly one of two concurrent events for the last place of the day', async () => {
    const one = open()
    await useSlots(one, 9)
    const prefix = one.keys.memory.slice(0, -':gate-memory'.length)
    const other = open({}, prefix)
    const answers = await Promise.all([
      one.gate.admit([{ ...sampleSlot, subject: 'P-1', eventId: 'evt-1' }]),
      other.gate.admit([{ ...sampleSlot, subject: 'P-2', eventId: 'evt-2' }]),
    ])
    expect(
      answers
        .flat()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['admitted', 'daily-limit'])
  })

  it('never exceeds the limit under 200 concurrent admissions from several instances', async () => {
    const first = open()
    const prefix = first.keys.memory.slice(0, -':gate-memory'.length)
    const gates = [first, open({}, prefix), open({}, prefix), open({}, prefix)]
    const requests = times(200, (n) => ({ subject: `P-${n}`, eventId: `evt-${n}` }))
    const answers = await Promise.all(
      requests.map(async (request, n) => (await gates[n % gates.length]?.gate.admit([request]))?.[0]?.kind),
    )
    expect(answers.filter((kind) => kind === 'admitted')).toHaveLength(10)
    expect(answers.filter((kind) => kind === 'daily-limit')).toHaveLength(190)
    expect(await first.observer.get(first.keys.daily('user-1', '2026-01-15'))).toBe('10')
  })

  it('answers for a page of 10,000 users in their order', async () => {
    const { gate } = open()
    await gate.admit(times(5_000, (n) => ({ userId: `u-${n * 2}`, eventId: 'earlier' })))
    const answers = await gate.admit(times(10_000, (n) => ({ userId: `u-${n}` })))
    expect(answers).toHaveLength(10_000)
    expect(answers.every(({ kind }, n) => kind === (n % 2 === 0 ? 'duplicate' : 'admitted'))).toBe(true)
  })

  it('takes limits and window from the configuration', async () => {
    const { gate, keys, observer } = open({ DAILY_LIMIT_PER_USER: '1', DUPLICATE_PREVENTION_HOURS: '3' })
    const answers = await gate.admit(times(2, (n) => ({ subject: `P-${n}` })))
    expect(answers.map(({ kind }) => kind)).toEqual(['admitted', 'daily-limit'])
    expect(await observer.pttl(keys.sent('user-1', 'P-0', 'PRICE_DROP'))).toBeGreaterThan(2 * 3_600_000)
  })

  it('goes on when the script cache was emptied', async () => {
    const { gate, observer } = open()
    await gate.admit([sampleSlot])
    await observer.script('FLUSH')
    const answers = await gate.admit(times(3, (n) => ({ userId: `u-${n}` })))
    expect(answers.map(({ kind }) => kind)).toEqual(['admitted', 'admitted', 'admitted'])
  })

  it('fails for good on a key that somebody else has written, and writes nothing', async () => {
    const { gate, keys, observer } = open()
    await observer.set(keys.daily('user-1', '2026-01-15'), 'many')
    await expect(gate.admit([sampleSlot])).rejects.toMatchObject({ name: 'PermanentError', code: 'GATE_KEY_SPOILT' })
    await observer.del(keys.daily('user-1', '2026-01-15'))
    await observer.rpush(keys.daily('user-1', '2026-01-15'), 'x')
    await expect(gate.admit([sampleSlot])).rejects.toMatchObject({ code: 'GATE_KEY_SPOILT' })
    expect(await observer.exists(keys.sent('user-1', 'P-1', 'PRICE_DROP'))).toBe(0)
  })
})

describe('releasing', () => {
  it('gives back the slot and its place in the day', async () => {
    const opened = open()
    await useSlots(opened, 9)
    await opened.gate.admit([sampleSlot])
    expect(await opened.gate.release([sampleSlot])).toEqual([true])
    expect(await opened.gate.admit([{ ...sampleSlot, eventId: 'evt-2' }])).toEqual([{ kind: 'admitted', dayCount: 10 }])
  })

  it('gives back the place in the day that was taken, not in the day it is now', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([sampleSlot, { ...sampleSlot, subject: 'P-2', date: '2026-01-16' }])
    const { date: _, ...slot } = sampleSlot
    expect(await gate.release([slot])).toEqual([true])
    expect(await observer.mget(keys.daily('user-1', '2026-01-15'), keys.daily('user-1', '2026-01-16'))).toEqual([
      '0',
      '1',
    ])
  })

  it('keeps the count as long as it would have been kept', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([sampleSlot])
    await gate.release([sampleSlot])
    await gate.admit([sampleSlot])
    expect(await observer.pttl(keys.daily('user-1', '2026-01-15'))).toBeGreaterThan(50 * 3_600_000)
  })

  it("leaves another event's slot alone, and one that was given back already", async () => {
    const { gate, keys, observer } = open()
    await gate.admit([sampleSlot, { ...sampleSlot, userId: 'user-2' }])
    const slots = [{ ...sampleSlot, eventId: 'evt-2' }, { ...sampleSlot, userId: 'user-2' }, sampleSlot]
    expect(await gate.release(slots)).toEqual([false, true, true])
    expect(await gate.release(slots)).toEqual([false, false, false])
    expect(await observer.get(keys.daily('user-1', '2026-01-15'))).toBe('0')
  })

  it('does not make a count for a day that is forgotten', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([sampleSlot])
    await observer.del(keys.daily('user-1', '2026-01-15'))
    expect(await gate.release([sampleSlot])).toEqual([true])
    expect(await observer.exists(keys.daily('user-1', '2026-01-15'))).toBe(0)
  })
})

describe('a notification that is sent a while after it was admitted', () => {
  const late = { ...sampleSlot, notificationId: 'n-1', date: '2026-01-16', isOtherDay: true }

  it('holds its slot from then on: another event about the same is its duplicate', async () => {
    const { gate, keys, observer } = open()
    expect(await gate.resend([{ ...late, isOtherDay: false }])).toEqual([{ kind: 'held' }])
    expect(await gate.admit([{ ...sampleSlot, eventId: 'evt-2' }])).toEqual([
      { kind: 'duplicate', blockingEventId: 'evt-1' },
    ])
    expect(await observer.exists(keys.daily('user-1', '2026-01-16'))).toBe(0)
    const sent = keys.sent('user-1', 'P-1', 'PRICE_DROP')
    await observer.pexpire(sent, 1_000)
    await gate.resend([{ ...late, isOtherDay: false }])
    expect(await observer.pttl(sent)).toBeGreaterThan(3_590_000)
  })

  it('is itself a duplicate where another event was told of meanwhile, and writes nothing', async () => {
    const { gate, keys, observer } = open()
    await gate.admit([{ ...sampleSlot, eventId: 'evt-2', date: '2026-01-16' }])
    expect(await gate.resend([late])).toEqual([{ kind: 'duplicate', blockingEventId: 'evt-2' }])
    expect(await observer.get(keys.daily('user-1', '2026-01-16'))).toBe('1')
  })

  it('takes a slot of a later day once, however often it is asked for, and another on a day after that', async () => {
    const { gate, keys, observer } = open()
    expect(await gate.resend([late, late])).toEqual([{ kind: 'held' }, { kind: 'held' }])
    expect(await observer.get(keys.daily('user-1', '2026-01-16'))).toBe('1')
    expect(await observer.pttl(keys.carried('user-1', '2026-01-16', 'n-1'))).toBeGreaterThan(50 * 3_600_000)
    await gate.resend([{ ...late, date: '2026-01-17' }])
    expect(await observer.get(keys.daily('user-1', '2026-01-17'))).toBe('1')
  })

  it('shares the ten of the day with what is new that day, under concurrency too', async () => {
    const opened = open()
    const fresh = times(10, (n) => ({ subject: `new-${n}`, eventId: `new-${n}`, date: '2026-01-16' }))
    const carried = Array.from({ length: 10 }, (_, n) => ({
      ...late,
      ...{ subject: `old-${n}`, eventId: `old-${n}`, notificationId: `n-${n}` },
    }))
    const answers = await Promise.all([
      ...carried.map((request) => opened.gate.resend([request])),
      ...fresh.map((request) => opened.gate.admit([request])),
    ])
    const kinds = answers.flat().map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'daily-limit')).toHaveLength(10)
    const again = await opened.gate.resend(carried)
    expect(again.map(({ kind }) => kind)).toEqual(kinds.slice(0, 10))
  })
})

import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { createMetrics } from '@dropbell/shared/metrics'
import { describe, expect, it, vi } from 'vitest'
import { type AdmissionDeps, type AdmissionRequest, createAdmit } from './admit.ts'
import type { Gate, GateAnswer } from './gate.ts'
import { createLocalDateAt } from './local-date.ts'
import { createNotificationMetrics } from './notification-metrics.ts'
import { readMetric } from './testing/read-metric.ts'

const hourMs = 3_600_000
const eventTimestamp = Date.UTC(2026, 0, 15, 3)

const request = (changes: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  type: 'PRICE_DROP',
  eventId: 'evt-1',
  eventTimestamp,
  expiresAt: eventTimestamp + 24 * hourMs,
  subject: 'P-1',
  replayCount: 0,
  candidates: ['a', 'b', 'c'].map((userId) => ({ userId, notificationId: `n-${userId}` })),
  ...changes,
})

const admitAll: Gate['admit'] = async (slots) => slots.map(() => ({ kind: 'admitted', dayCount: 1 }))

const setUp = (overrides: Partial<Omit<AdmissionDeps, 'gate'>> & { gate?: Gate['admit'] } = {}) => {
  const registry = createMetrics({ service: 'test' })
  const deps = {
    readRecipients: vi.fn(async (_: readonly string[]): Promise<ReadonlyMap<string, Recipient>> => new Map()),
    findKnown: vi.fn(async (_: readonly string[]): Promise<ReadonlySet<string>> => new Set()),
    localDateAt: createLocalDateAt({ onUnknownZone: () => {} }),
    metrics: createNotificationMetrics(registry),
    ...overrides,
    gate: { admit: vi.fn(overrides.gate ?? admitAll) },
  }
  const admitSeveral = createAdmit(deps)
  const admit = async (asked: AdmissionRequest, now = eventTimestamp + 1_000) =>
    (await admitSeveral([asked], now)).flat()
  const decisions = async ({ now, ...changes }: Partial<AdmissionRequest> & { now?: number } = {}) =>
    (await admit(request(changes), now)).map(({ userId, decision }) => [
      userId,
      decision.kind === 'admitted' ? 'admitted' : decision.reason,
    ])
  return { ...deps, admit, admitSeveral, decisions, metric: (name: string) => readMetric(registry, name) }
}

const recipient = (changes: Partial<Recipient>): Recipient => ({ ...defaultRecipient, ...changes })

describe('admission', () => {
  it('asks the gate about every user, with the event, the product and the local date of each', async () => {
    const { admit, gate } = setUp({
      readRecipients: async () => new Map([['b', recipient({ timezone: 'America/New_York' })]]),
    })
    await admit(request())
    const slot = { subject: 'P-1', type: 'PRICE_DROP', eventId: 'evt-1' }
    expect(gate.admit).toHaveBeenCalledExactlyOnceWith([
      { ...slot, userId: 'a', date: '2026-01-15' },
      { ...slot, userId: 'b', date: '2026-01-14' },
      { ...slot, userId: 'c', date: '2026-01-15' },
    ])
  })

  it('gives what is known of the recipient along', async () => {
    const english = recipient({ locale: 'en' })
    const { admit } = setUp({ readRecipients: async () => new Map([['b', english]]) })
    expect((await admit(request())).map((admission) => admission.recipient)).toEqual([
      defaultRecipient,
      english,
      defaultRecipient,
    ])
  })

  it('takes over what the gate says, user by user', async () => {
    const answers: GateAnswer[] = [
      { kind: 'held' },
      { kind: 'duplicate', blockingEventId: 'evt-0' },
      { kind: 'daily-limit', dayCount: 10 },
    ]
    const { admit } = setUp({ gate: async () => answers })
    expect((await admit(request())).map(({ decision }) => decision)).toEqual([
      { kind: 'admitted', again: true },
      { kind: 'refused', reason: 'duplicate', blockingEventId: 'evt-0' },
      { kind: 'refused', reason: 'daily-limit', dayCount: 10 },
    ])
  })

  it('refuses everybody after the expiry, without asking anybody', async () => {
    const { decisions, gate, readRecipients, findKnown } = setUp()
    const expiresAt = eventTimestamp + 24 * hourMs
    expect(await decisions({ now: expiresAt + 1, replayCount: 1 })).toEqual([
      ['a', 'expired'],
      ['b', 'expired'],
      ['c', 'expired'],
    ])
    for (const asked of [gate.admit, readRecipients, findKnown]) expect(asked).not.toHaveBeenCalled()
    expect((await decisions({ now: expiresAt }))[0]).toEqual(['a', 'admitted'])
  })

  it('does not ask the gate about those who opted out of the type', async () => {
    const { decisions, gate } = setUp({
      readRecipients: async () =>
        new Map([
          ['a', recipient({ optedOut: new Set(['PRICE_DROP']) })],
          ['b', recipient({ optedOut: new Set(['BACK_IN_STOCK']) })],
        ]),
    })
    expect(await decisions()).toEqual([
      ['a', 'opted-out'],
      ['b', 'admitted'],
      ['c', 'admitted'],
    ])
    expect(gate.admit.mock.calls[0]?.[0].map(({ userId }) => userId)).toEqual(['b', 'c'])
  })

  it.each([
    ['was replayed', { replayCount: 1 }],
    ['is older than an hour', { now: eventTimestamp + hourMs + 1 }],
  ])('takes no slot from those who know already when the event %s', async (_, changes) => {
    const { decisions, gate, readRecipients, findKnown } = setUp({ findKnown: vi.fn(async () => new Set(['n-b'])) })
    expect(await decisions(changes)).toEqual([
      ['a', 'admitted'],
      ['b', 'already-known'],
      ['c', 'admitted'],
    ])
    expect(findKnown).toHaveBeenCalledExactlyOnceWith(['n-a', 'n-b', 'n-c'])
    expect(readRecipients).toHaveBeenCalledExactlyOnceWith(['a', 'c'])
    expect(gate.admit.mock.calls[0]?.[0].map(({ userId }) => userId)).toEqual(['a', 'c'])
  })

  it('does not look for what is known while the slots are surely held', async () => {
    const { decisions, findKnown } = setUp()
    await decisions({ now: eventTimestamp + hourMs })
    expect(findKnown).not.toHaveBeenCalled()
  })

  it('asks once about the pages of several events, and keeps them apart', async () => {
    const { admitSeveral, gate, readRecipients } = setUp({
      gate: async (slots) =>
        slots.map(({ eventId }) =>
          eventId === 'evt-1' ? { kind: 'admitted', dayCount: 1 } : { kind: 'duplicate', blockingEventId: 'evt-1' },
        ),
    })
    const expired = request({ eventId: 'evt-0', expiresAt: eventTimestamp })
    const second = request({ eventId: 'evt-2', candidates: [{ userId: 'b', notificationId: 'm-b' }] })
    const pages = await admitSeveral([expired, request(), second], eventTimestamp + 1_000)
    expect(
      pages.map((page) =>
        page.map(({ notificationId, decision }) => [
          notificationId,
          decision.kind === 'refused' ? decision.reason : 'ok',
        ]),
      ),
    ).toEqual([
      ['a', 'b', 'c'].map((user) => [`n-${user}`, 'expired']),
      ['a', 'b', 'c'].map((user) => [`n-${user}`, 'ok']),
      [['m-b', 'duplicate']],
    ])
    expect(readRecipients).toHaveBeenCalledExactlyOnceWith(['a', 'b', 'c'])
    expect(gate.admit).toHaveBeenCalledTimes(1)
  })

  it('asks neither the user nor the gate about what is transactional', async () => {
    const { decisions, gate, readRecipients } = setUp()
    expect(await decisions({ type: 'TRANSACTIONAL' })).toEqual([
      ['a', 'admitted'],
      ['b', 'admitted'],
      ['c', 'admitted'],
    ])
    expect(gate.admit).not.toHaveBeenCalled()
    expect(readRecipients).not.toHaveBeenCalled()
  })

  it('counts who was admitted and who was not, by reason', async () => {
    const { decisions, metric } = setUp({
      readRecipients: async () => new Map([['a', recipient({ optedOut: new Set(['PRICE_DROP']) })]]),
    })
    await decisions()
    expect(await metric('dropbell_admissions_total')).toEqual({ 'PRICE_DROP admitted': 2, 'PRICE_DROP opted-out': 1 })
    expect(await metric('dropbell_gate_seconds_count')).toEqual({ ok: 1 })
  })
})

describe('admission while somebody cannot answer', () => {
  const fail = (dependency: string) => async (): Promise<never> => {
    throw new TransientError('X_UNAVAILABLE', 'no answer', { dependency })
  }

  it.each<[string, string, Parameters<typeof setUp>[0]]>([
    ['the gate', 'redis', { gate: fail('redis') }],
    ['the preferences', 'postgres', { readRecipients: fail('postgres') }],
    ['the known notifications', 'postgres', { findKnown: fail('postgres') }],
  ])('admits nobody and counts everybody as blocked: %s', async (_, dependency, overrides) => {
    const { admit, metric } = setUp(overrides)
    await expect(admit(request({ replayCount: 1 }))).rejects.toMatchObject({ code: 'X_UNAVAILABLE', dependency })
    expect(await metric('dropbell_fail_close_blocks_total')).toEqual({ [dependency]: 3 })
    expect(await metric('dropbell_admissions_total')).toEqual({})
  })

  it('does not ask the gate when the preferences are not known', async () => {
    const { admit, gate } = setUp({ readRecipients: fail('postgres') })
    await expect(admit(request())).rejects.toThrow()
    expect(gate.admit).not.toHaveBeenCalled()
  })

  it('does not count a failure of another kind as blocked', async () => {
    const failing = vi.fn().mockRejectedValue(new PermanentError('GATE_KEY_SPOILT', 'x'))
    const { admit, metric } = setUp({ gate: failing })
    await expect(admit(request())).rejects.toBeInstanceOf(PermanentError)
    expect(await metric('dropbell_fail_close_blocks_total')).toEqual({})
  })
})

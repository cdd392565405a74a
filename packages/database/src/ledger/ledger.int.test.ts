import { randomUUID } from 'node:crypto'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DeliveryRow } from '../delivery-row.ts'
import { migrate } from '../migrate.ts'
import { registerDevice } from '../register-device.ts'
import { plannedNotification } from '../testing/planned-notification.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { claimPlans, type PlannedNotification } from './claim-plans.ts'
import { deferDeliveries } from './defer-deliveries.ts'
import { type DeliveryKey, keyOf } from './delivery-key.ts'
import { expireDeliveries } from './expire-deliveries.ts'
import { giveBackDeliveries } from './give-back-deliveries.ts'
import { deleteNotes, postponeNote, readOldNote } from './outcome-notes.ts'
import { pruneSettled } from './prune-settled.ts'
import { readOutcomes } from './read-outcomes.ts'
import { settleAbandoned } from './settle-abandoned.ts'
import { type Settlement, settleDeliveries } from './settle-deliveries.ts'
import { startAttempts } from './start-attempts.ts'
import { sweepFailures } from './sweep-failures.ts'
import { type TakeKind, takeDueDeliveries } from './take-due-deliveries.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await migrate({ connection: { connectionString: database.url }, log: captureLog().log })
})
afterAll(() => database.drop())
afterEach(() => database.pool.query('TRUNCATE notifications, deliveries, devices, user_info, unpublished_outcomes'))

const now = Date.now()
const leaseMs = 60_000

/** Puts plans into the ledger, with a lease that lasts or is over already. */
const claim = async (plans: PlannedNotification[], { lasts = true } = {}) => {
  const leaseToken = randomUUID()
  const claimed = await claimPlans(database.pool, plans, { leaseToken, leaseMs: lasts ? leaseMs : 0, now })
  return { ...claimed, leaseToken }
}

const attempt = async (keys: readonly DeliveryKey[], leaseToken: string, { lasts = true } = {}) => {
  const attemptToken = randomUUID()
  const started = await startAttempts(database.pool, keys, {
    ...{ leaseToken, attemptToken, leaseMs: lasts ? leaseMs : 0 },
    neededMs: leaseMs / 2,
  })
  return { started, attemptToken }
}

const settled = (key: DeliveryKey, said: Partial<Settlement> = {}): Settlement => ({
  ...{ notificationId: key.notificationId, channel: key.channel, targetId: key.targetId },
  ...{ status: 'SUCCESS', code: null, retryable: false, retryInMs: null },
  ...{ latencyMs: 12, providerId: 'projects/p/messages/1', deadToken: null },
  ...said,
})

const settleAs = (key: DeliveryKey, token: string, said: Partial<Settlement> = {}) =>
  settleDeliveries(database.pool, [settled(key, said)], { token, now })

const take = (kind: TakeKind, { limit = 100, at = now, channel = 'PUSH' as DeliveryRow['channel'] } = {}) => {
  const leaseToken = randomUUID()
  return takeDueDeliveries(database.pool, kind, { channel, limit, leaseToken, leaseMs, now: at }).then((rows) => ({
    rows,
    leaseToken,
  }))
}

const rowOf = async ({ notificationId, targetId }: DeliveryKey): Promise<DeliveryRow | undefined> => {
  const { rows } = await database.pool.query<DeliveryRow>(
    'SELECT * FROM deliveries WHERE notification_id = $1 AND target_id = $2',
    [notificationId, targetId],
  )
  return rows[0]
}

/** How often its deliveries changed, and in how many notes it is. */
const newsOf = async (notificationId: string) => {
  const { rows } = await database.pool.query(
    `SELECT (SELECT coalesce(sum(revision), 0) FROM deliveries WHERE notification_id = $1)::int AS changes,
       (SELECT count(*) FROM unpublished_outcomes WHERE $1 = ANY (notification_ids))::int AS notes`,
    [notificationId],
  )
  return rows[0] as { changes: number; notes: number }
}

const keyIn = ([claimed]: readonly DeliveryKey[]): DeliveryKey => {
  const { notificationId, channel, targetId } = claimed as DeliveryKey
  return { notificationId, channel, targetId }
}

/** One delivery, claimed and attempted. */
const inFlight = async (said: Partial<PlannedNotification> = {}, { lasts = true } = {}) => {
  const { deliveries, leaseToken } = await claim([plannedNotification(said)], { lasts })
  const key = keyIn(deliveries)
  return { key, ...(await attempt([key], leaseToken, { lasts })) }
}

describe('(none) → READY', () => {
  it('holds every delivery of a new notification with the lease, and keeps the content', async () => {
    const plan = plannedNotification({
      deliveries: ['phone', 'tablet'].map((targetId) => ({ channel: 'PUSH', targetId, kind: 'send' as const })),
    })
    const { deliveries, leaseToken, notificationIds } = await claim([plan])
    expect(notificationIds).toEqual(new Set([plan.notificationId]))
    expect(deliveries.map(({ targetId }) => targetId).sort()).toEqual(['phone', 'tablet'])
    expect(await rowOf(deliveries[0] as DeliveryKey)).toMatchObject({
      ...{ status: 'READY', lease_token: leaseToken, attempt: 0, attempted_at: null, code: null },
      expires_at: new Date(plan.expiresAt),
    })
    const { rows } = await database.pool.query('SELECT * FROM notifications')
    expect(rows).toEqual([
      expect.objectContaining({
        title: plan.title,
        data: plan.data,
        read_at: null,
        refusal: null,
      }),
    ])
  })

  it('plans a notification once: a device that came later is not told by a replay', async () => {
    const plan = plannedNotification()
    await claim([plan])
    const later = { ...plan, deliveries: [{ channel: 'PUSH' as const, targetId: 'new phone', kind: 'send' as const }] }
    expect(await claim([later, plannedNotification()])).toMatchObject({ deliveries: [{ targetId: 'phone' }] })
    expect(await rowOf({ ...plan, channel: 'PUSH', targetId: 'new phone' })).toBeUndefined()
  })

  it('lets one of several claim a notification at the same time', async () => {
    const plans = Array.from({ length: 20 }, () => plannedNotification())
    const claims = await Promise.all([claim(plans), claim(plans), claim([...plans].reverse())])
    expect(claims.flatMap(({ deliveries }) => deliveries)).toHaveLength(20)
  })
})

describe('a batch', () => {
  it('is planned for by Postgres as what it is, however many there were before', async () => {
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    try {
      for (let batch = 0; batch < 10; batch++) {
        const tokens = { leaseToken: randomUUID(), attemptToken: randomUUID() }
        const plans = Array.from({ length: 20 }, () => plannedNotification())
        const { deliveries } = await claimPlans(pool, plans, { ...tokens, leaseMs, now })
        await startAttempts(pool, deliveries, { ...tokens, leaseMs, neededMs: 0 })
        const settlements = deliveries.map((key) => settled(key))
        await settleDeliveries(pool, settlements, { token: tokens.attemptToken, now })
        await readOutcomes(
          pool,
          deliveries.map(({ notificationId }) => notificationId),
        )
      }
      const { rows } = await pool.query(
        'SELECT coalesce(sum(generic_plans), 0)::int AS blind FROM pg_prepared_statements',
      )
      expect(rows).toEqual([{ blind: 0 }])
    } finally {
      await pool.end()
    }
  })
})

describe('(none) → READY, attempted', () => {
  it('is settled or given back with the token of the claim, and unknown if nobody does', async () => {
    const inbox = { channel: 'IN_APP', targetId: 'inbox', kind: 'begin' } as const
    const { deliveries, leaseToken } = await claim([plannedNotification({ deliveries: [inbox] })])
    const [key] = deliveries as [DeliveryKey & { begun: boolean }]
    expect(key.begun).toBe(true)
    expect(await rowOf(key)).toMatchObject({ attempt: 1, attempted_at: expect.any(Date) })
    expect((await attempt([key], leaseToken)).started).toEqual([])
    await giveBackDeliveries(database.pool, [{ ...key, code: 'BREAKER_OPEN', retryInMs: 0 }], leaseToken)
    expect((await take('take-over', { channel: 'IN_APP' })).rows).toMatchObject([{ attempt: 0 }])

    const dead = await claim([plannedNotification({ deliveries: [inbox] })], { lasts: false })
    expect(await settleAbandoned(database.pool, { limit: 9, now, quickRetries: 3, channel: 'IN_APP' })).toBe(1)
    expect(await rowOf(dead.deliveries[0] as DeliveryKey)).toMatchObject({ code: 'UNKNOWN_OUTCOME' })
  })
})

describe('(none) → FAIL', () => {
  it('records why nothing is sent, with an outcome where nothing is left to send', async () => {
    const refused = [{ channel: 'PUSH' as const, targetId: 'phone', kind: 'refuse' as const, code: 'NO_CONSENT' }]
    const plan = plannedNotification({ deliveries: refused })
    const expired = plannedNotification({ refusal: 'EXPIRED', deliveries: [] })
    const open = plannedNotification({
      deliveries: [...refused, { channel: 'PUSH', targetId: 'tablet', kind: 'send' }],
    })
    const { deliveries, notificationIds } = await claim([plan, expired, open])
    expect(notificationIds.size).toBe(3)
    expect(deliveries).toMatchObject([{ notificationId: open.notificationId, targetId: 'tablet' }])
    expect(await rowOf({ ...plan, channel: 'PUSH', targetId: 'phone' })).toMatchObject({
      ...{ status: 'FAIL', code: 'NO_CONSENT', retryable: false, lease_token: null, settled_at: new Date(now) },
    })
    expect(await newsOf(plan.notificationId)).toEqual({ changes: 1, notes: 1 })
    expect(await newsOf(expired.notificationId)).toEqual({ changes: 0, notes: 1 })
    expect(await newsOf(open.notificationId)).toEqual({ changes: 1, notes: 0 })
  })
})

describe('READY → attempted', () => {
  it('counts the attempt and changes the token, once', async () => {
    const { deliveries, leaseToken } = await claim([plannedNotification()])
    const [first, second] = await Promise.all([attempt(deliveries, leaseToken), attempt(deliveries, leaseToken)])
    expect([...first.started, ...second.started]).toMatchObject([{ attempt: 1, targetId: 'phone' }])
    expect(await rowOf(deliveries[0] as DeliveryKey)).toMatchObject({ attempt: 1, attempted_at: expect.any(Date) })
  })

  it('answers the same when the answer was lost and it is asked again', async () => {
    const { deliveries, leaseToken } = await claim([plannedNotification()])
    const options = { leaseToken, attemptToken: randomUUID(), leaseMs, neededMs: leaseMs / 2 }
    const first = await startAttempts(database.pool, deliveries, options)
    const again = await startAttempts(database.pool, deliveries, options)
    expect(again).toEqual(first.map((started) => ({ ...started, leaseMs: expect.any(Number) })))
    expect(await rowOf(deliveries[0] as DeliveryKey)).toMatchObject({ attempt: 1 })
  })

  it('is refused to whoever slept until somebody else took the row', async () => {
    const { deliveries, leaseToken } = await claim([plannedNotification()], { lasts: false })
    expect((await take('take-over')).rows).toHaveLength(1)
    expect((await attempt(deliveries, leaseToken)).started).toEqual([])
  })
})

describe('attempted → SUCCESS', () => {
  it('keeps what the provider said and notes that there is an outcome', async () => {
    const { key, attemptToken } = await inFlight()
    expect(await settleAs(key, attemptToken)).toEqual({ deliveries: [key], note: expect.any(String) })
    expect(await rowOf(key)).toMatchObject({
      ...{ status: 'SUCCESS', code: null, provider_id: 'projects/p/messages/1', latency_ms: 12 },
      ...{ lease_token: null, lease_until: null, settled_at: new Date(now) },
    })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 1, notes: 1 })
  })

  it('is nobody else\u2019s to say: another token settles nothing', async () => {
    const { key } = await inFlight()
    expect(await settleAs(key, randomUUID())).toEqual({ deliveries: [], note: undefined })
    expect(await rowOf(key)).toMatchObject({ status: 'READY' })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 0, notes: 0 })
  })

  it('makes one note of a batch that settles several devices of a notification', async () => {
    const plan = plannedNotification({
      deliveries: ['phone', 'tablet'].map((targetId) => ({ channel: 'PUSH', targetId, kind: 'send' as const })),
    })
    const { deliveries, leaseToken } = await claim([plan])
    const { attemptToken } = await attempt(deliveries, leaseToken)
    const both = deliveries.map((key) => settled(key))
    expect((await settleDeliveries(database.pool, both, { token: attemptToken, now })).deliveries).toHaveLength(2)
    expect(await newsOf(plan.notificationId)).toEqual({ changes: 2, notes: 1 })
  })
})

describe('attempted → FAIL', () => {
  it('is final where the refusal will not change', async () => {
    const { key, attemptToken } = await inFlight()
    await settleAs(key, attemptToken, { status: 'FAIL', code: 'SENDER_ID_MISMATCH' })
    expect(await rowOf(key)).toMatchObject({ status: 'FAIL', code: 'SENDER_ID_MISMATCH', next_retry_at: null })
    expect((await take('retry')).rows).toEqual([])
    expect(await sweepFailures(database.pool, { limit: 10, now, failedBefore: now + 1 })).toBe(0)
  })

  it('makes the device of a dead token INVALID, unless it has another token by now', async () => {
    await registerDevice(database.pool, phone('old'))
    const dead = { status: 'FAIL', code: 'UNREGISTERED', deadToken: 'old' } as const
    const first = await inFlight()
    await settleAs(first.key, first.attemptToken, dead)
    expect(await deviceState()).toEqual({ status: 'INVALID', invalid_reason: 'UNREGISTERED' })
    await registerDevice(database.pool, phone('new'))
    const second = await inFlight()
    await settleAs(second.key, second.attemptToken, dead)
    expect(await deviceState()).toEqual({ status: 'ACTIVE', invalid_reason: null })
  })

  const phone = (token: string) =>
    ({ deviceId: 'phone', userId: 'u', token, platform: 'ANDROID', pushConsent: true }) as const
  const deviceState = async () => (await database.pool.query('SELECT status, invalid_reason FROM devices')).rows[0]
})

describe('FAIL → READY, attempted again', () => {
  it('takes what is due with all that is needed to send it, and counts on', async () => {
    await registerDevice(database.pool, {
      ...{ deviceId: 'phone', userId: 'u', token: 't', platform: 'IOS', locale: 'ko', pushConsent: true },
    })
    const { key, attemptToken } = await inFlight()
    await settleAs(key, attemptToken, { status: 'FAIL', code: 'UNAVAILABLE', retryable: true, retryInMs: 0 })
    const { rows, leaseToken } = await take('retry')
    expect(rows).toMatchObject([
      {
        ...{ target_id: 'phone', attempt: 1, waited: true, title: '가격이 떨어졌어요!', user_id: 'u' },
        device: { token: 't', platform: 'IOS', locale: 'ko', push_consent: true, status: 'ACTIVE' },
      },
    ])
    expect((await attempt([key], leaseToken)).started).toMatchObject([{ attempt: 2 }])
  })

  it('leaves alone what is not due yet', async () => {
    const { key, attemptToken } = await inFlight()
    await settleAs(key, attemptToken, { status: 'FAIL', code: 'UNAVAILABLE', retryable: true, retryInMs: 60_000 })
    expect((await take('retry')).rows).toEqual([])
    expect((await take('take-over')).rows).toEqual([])
  })

  it('gives each row to one of several instances that ask at once', async () => {
    const { deliveries, leaseToken } = await claim(Array.from({ length: 60 }, () => plannedNotification()))
    const { attemptToken } = await attempt(deliveries, leaseToken)
    const failed = deliveries.map((key) =>
      settled(key, { status: 'FAIL', code: 'INTERNAL', retryable: true, retryInMs: 0 }),
    )
    await settleDeliveries(database.pool, failed, { token: attemptToken, now })
    const taken = (await Promise.all(Array.from({ length: 6 }, () => take('retry', { limit: 10 })))).flatMap(
      ({ rows }) => rows.map((row) => row.notification_id),
    )
    expect(new Set(taken).size).toBe(taken.length)
    const rest = (await take('retry')).rows.map((row) => row.notification_id)
    expect([...taken, ...rest].sort()).toEqual(deliveries.map(({ notificationId }) => notificationId).sort())
  })
})

describe('READY, lease over → taken over', () => {
  it('happens to what was never attempted, and not before the lease is over', async () => {
    const held = await claim([plannedNotification()])
    const left = await claim([plannedNotification()], { lasts: false })
    const { rows, leaseToken } = await take('take-over')
    expect(rows.map((row) => row.notification_id)).toEqual([...left.notificationIds])
    expect((await attempt(left.deliveries, leaseToken)).started).toMatchObject([{ attempt: 1 }])
    expect((await attempt(held.deliveries, held.leaseToken)).started).toHaveLength(1)
  })

  it('says whether it waited, or was only just left to whoever looks after the channel', async () => {
    const text = { channel: 'SMS', targetId: 'phone', kind: 'leave' } as const
    const { deliveries } = await claim([plannedNotification({ deliveries: [text] })])
    expect(deliveries).toEqual([])
    const fresh = await take('take-over', { channel: 'SMS' })
    expect(fresh.rows).toMatchObject([{ waited: false, email: null, phone: null }])
    const back = fresh.rows.map((row) => ({ ...keyOf(row), code: 'HELD_BACK', retryInMs: 0 }))
    await giveBackDeliveries(database.pool, back, fresh.leaseToken)
    expect((await take('take-over', { channel: 'SMS' })).rows).toMatchObject([{ waited: true }])
    await claim([plannedNotification()], { lasts: false })
    expect((await take('take-over')).rows).toMatchObject([{ waited: true }])
  })

  it('brings along where the user is reached now', async () => {
    await database.pool.query("INSERT INTO user_info (user_id, email, phone) VALUES ('u', 'u@shop.test', '+8210')")
    const plan = (['SMS', 'EMAIL', 'IN_APP'] as const).map((channel) => ({
      channel,
      targetId: 't',
      kind: 'leave' as const,
    }))
    await claim([plannedNotification({ deliveries: plan })])
    for (const channel of ['SMS', 'EMAIL'] as const) {
      expect((await take('take-over', { channel })).rows).toMatchObject([{ email: 'u@shop.test', phone: '+8210' }])
    }
    expect((await take('take-over', { channel: 'IN_APP' })).rows).toMatchObject([{ email: null, phone: null }])
  })
})

describe('READY, deferred', () => {
  const later = now + 3_600_000
  const quiet = { channel: 'PUSH', targetId: 'phone', kind: 'defer', notBefore: later, code: 'QUIET_HOURS' } as const

  it('waits for its time by the business\u2019s clock, and is anybody\u2019s then', async () => {
    const plan = plannedNotification({ deliveries: [quiet] })
    expect((await claim([plan])).deliveries).toEqual([])
    expect(await newsOf(plan.notificationId)).toEqual({ changes: 1, notes: 1 })
    expect(await rowOf({ ...plan, ...quiet })).toMatchObject({ lease_until: null, not_before: new Date(later) })
    expect((await take('take-over')).rows).toEqual([])
    expect((await take('deferred', { at: later - 1 })).rows).toEqual([])
    const both = await Promise.all([take('deferred', { at: later }), take('deferred', { at: later })])
    const [taken] = both.filter(({ rows }) => rows.length > 0)
    expect(both.flatMap(({ rows }) => rows)).toMatchObject([{ attempt: 0, waited: true }])
    const keys = taken?.rows.map(keyOf) ?? []
    expect((await attempt(keys, taken?.leaseToken as string)).started).toMatchObject([{ attempt: 1 }])
  })

  it('has no outcome of its own while something else of its notification is sent', async () => {
    const plan = plannedNotification({ deliveries: [quiet, { channel: 'IN_APP', targetId: 'inbox', kind: 'send' }] })
    expect((await claim([plan])).deliveries).toMatchObject([{ channel: 'IN_APP' }])
    expect(await newsOf(plan.notificationId)).toEqual({ changes: 1, notes: 0 })
  })

  it('is deferred again by its holder alone, and that is news only if the reason is', async () => {
    const { deliveries, leaseToken } = await claim([plannedNotification()])
    const key = deliveries[0] as DeliveryKey
    const waits = (code: string) => [{ ...key, notBefore: later, code }]
    expect(await deferDeliveries(database.pool, waits('QUIET_HOURS'), randomUUID())).toMatchObject({ deferred: 0 })
    expect(await deferDeliveries(database.pool, waits('QUIET_HOURS'), leaseToken)).toMatchObject({ deferred: 1 })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 1, notes: 1 })
    const again = await take('deferred', { at: later })
    const sameReason = await deferDeliveries(database.pool, waits('QUIET_HOURS'), again.leaseToken)
    expect(sameReason).toEqual({ deferred: 1, news: [], note: undefined })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 1, notes: 1 })
    const third = await take('deferred', { at: later })
    expect(await deferDeliveries(database.pool, waits('OFFER_UNKNOWN'), third.leaseToken)).toMatchObject({
      deferred: 1,
    })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 2, notes: 2 })
  })

  it('keeps the attempts of a retry that comes in quiet hours', async () => {
    const { key, attemptToken } = await inFlight()
    await settleAs(key, attemptToken, { status: 'FAIL', code: 'UNAVAILABLE', retryable: true, retryInMs: 0 })
    const { leaseToken } = await take('retry')
    await deferDeliveries(database.pool, [{ ...key, notBefore: later, code: 'QUIET_HOURS' }], leaseToken)
    expect((await take('retry')).rows).toEqual([])
    expect((await take('deferred', { at: later })).rows).toMatchObject([{ attempt: 1 }])
  })
})

describe('READY → given back', () => {
  it('burns no attempt, and is anybody\u2019s when its time has come', async () => {
    const { key, attemptToken } = await inFlight()
    await giveBackDeliveries(database.pool, [{ ...key, code: 'CONNECTION_REFUSED', retryInMs: 0 }], attemptToken)
    expect(await rowOf(key)).toMatchObject({ status: 'READY', attempt: 0, attempted_at: null, lease_token: null })
    expect((await take('take-over')).rows).toMatchObject([{ attempt: 0 }])
  })

  it('waits a day at most, however long a provider asks for', async () => {
    const { key, attemptToken } = await inFlight()
    const forEver = { ...key, code: 'FCM_PAUSED', retryInMs: Number.POSITIVE_INFINITY }
    expect(await giveBackDeliveries(database.pool, [forEver], attemptToken)).toHaveLength(1)
  })

  it('works before an attempt too, and only for the holder', async () => {
    const { deliveries, leaseToken } = await claim([plannedNotification()])
    const given = deliveries.map((key) => ({ ...key, code: null, retryInMs: 60_000 }))
    expect(await giveBackDeliveries(database.pool, given, randomUUID())).toEqual([])
    expect(await giveBackDeliveries(database.pool, given, leaseToken)).toHaveLength(1)
    expect((await take('take-over')).rows).toEqual([])
    expect((await attempt(deliveries, leaseToken)).started).toEqual([])
  })
})

describe('attempted, lease over → FAIL/UNKNOWN_OUTCOME', () => {
  it('is final for a promotional one: nobody sends it again, and who slept settles nothing', async () => {
    const { key, attemptToken } = await inFlight({}, { lasts: false })
    expect((await take('take-over')).rows).toEqual([])
    expect(await settleAbandoned(database.pool, { limit: 10, now, quickRetries: 3, channel: 'PUSH' })).toBe(1)
    expect(await rowOf(key)).toMatchObject({ status: 'FAIL', code: 'UNKNOWN_OUTCOME', retryable: false })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 1, notes: 1 })
    expect((await settleAs(key, attemptToken)).deliveries).toEqual([])
    expect((await take('retry')).rows).toEqual([])
  })

  it('makes a transactional one due again', async () => {
    const { key } = await inFlight({ type: 'TRANSACTIONAL' }, { lasts: false })
    await settleAbandoned(database.pool, { limit: 10, now, quickRetries: 3, channel: 'PUSH' })
    expect((await take('retry')).rows).toMatchObject([{ notification_id: key.notificationId, attempt: 1 }])
  })

  it('leaves a transactional one to the sweep once its quick retries are spent', async () => {
    const { key } = await inFlight({ type: 'TRANSACTIONAL' }, { lasts: false })
    await settleAbandoned(database.pool, { limit: 10, now, quickRetries: 0, channel: 'PUSH' })
    expect((await take('retry')).rows).toEqual([])
    expect(await rowOf(key)).toMatchObject({ status: 'FAIL', retryable: true, next_retry_at: null })
    expect(await sweepFailures(database.pool, { limit: 10, now, failedBefore: now + 1 })).toBe(1)
  })

  it('does not happen while the lease lasts', async () => {
    await inFlight()
    expect(await settleAbandoned(database.pool, { limit: 10, now, quickRetries: 3, channel: 'PUSH' })).toBe(0)
  })
})

describe('FAIL, quick retries spent', () => {
  const spend = async (said: Partial<PlannedNotification> = {}) => {
    const { key, attemptToken } = await inFlight(said)
    await settleAs(key, attemptToken, { status: 'FAIL', code: 'UNAVAILABLE', retryable: true })
    return key
  }

  it('waits for the sweep, which makes it due', async () => {
    const key = await spend()
    expect((await take('retry')).rows).toEqual([])
    expect(await sweepFailures(database.pool, { limit: 10, now, failedBefore: now + 1 })).toBe(1)
    expect(await sweepFailures(database.pool, { limit: 10, now, failedBefore: now + 1 })).toBe(0)
    expect((await take('retry')).rows).toMatchObject([{ notification_id: key.notificationId }])
  })

  it('waits for the next sweep if it failed since the time of this one', async () => {
    await spend()
    expect(await sweepFailures(database.pool, { limit: 10, now, failedBefore: now })).toBe(0)
  })

  it('becomes EXPIRED, for good, when its time is over', async () => {
    const key = await spend({ expiresAt: now + 1_000 })
    const later = now + 1_000
    expect(await sweepFailures(database.pool, { limit: 10, now: later, failedBefore: later })).toBe(0)
    expect(await expireDeliveries(database.pool, { limit: 10, now })).toBe(0)
    expect(await expireDeliveries(database.pool, { limit: 10, now: later })).toBe(1)
    expect(await rowOf(key)).toMatchObject({ status: 'FAIL', code: 'EXPIRED', retryable: false })
    expect(await newsOf(key.notificationId)).toEqual({ changes: 2, notes: 2 })
  })
})

describe('outcomes', () => {
  it('tell how all deliveries stand, and count their changes', async () => {
    const { key, attemptToken } = await inFlight()
    const { notificationId } = key
    await settleAs(key, attemptToken)
    const [outcome] = await readOutcomes(database.pool, [notificationId])
    expect(outcome).toMatchObject({
      ...{ notification_id: notificationId, outcome_revision: 1, refusal: null },
      deliveries: [{ target_id: 'phone', status: 'SUCCESS', attempt: 1, latency_ms: 12, settled: now }],
    })
  })

  it('are none while nothing has changed, whoever asks', async () => {
    const { key } = await inFlight()
    expect(await readOutcomes(database.pool, [key.notificationId])).toEqual([])
  })

  it('that could not be published let the next ones go first', async () => {
    const notes: (string | undefined)[] = []
    for (let n = 0; n < 2; n++) {
      const { key, attemptToken } = await inFlight()
      notes.push((await settleAs(key, attemptToken)).note)
    }
    expect((await readOldNote(database.pool, 0))?.note).toBe(notes[0])
    await postponeNote(database.pool, notes[0] as string)
    expect((await readOldNote(database.pool, 0))?.note).toBe(notes[1])
  })

  it('begin with 1 where the whole notification was refused', async () => {
    const expired = plannedNotification({ refusal: 'EXPIRED', deliveries: [] })
    await claim([expired])
    expect(await readOutcomes(database.pool, [expired.notificationId])).toMatchObject([
      { outcome_revision: 1, outcome_at: expect.any(Date), refusal: 'EXPIRED', deliveries: [] },
    ])
  })

  it('that nobody published are found by whoever comes along later', async () => {
    const { key, attemptToken } = await inFlight()
    const { note } = await settleAs(key, attemptToken)
    expect(await readOldNote(database.pool, 60_000)).toBeUndefined()
    expect(await readOldNote(database.pool, 0)).toEqual({ note, notificationIds: [key.notificationId] })
    await deleteNotes(database.pool, [note as string])
    expect(await readOldNote(database.pool, 0)).toBeUndefined()
  })
})

describe('settled → (none)', () => {
  const day = 86_400_000
  const prune = (at: number, keepDays = 1) => pruneSettled(database.pool, { batchSize: 2, keepDays, now: at })

  it('takes a small batch at a time, and never before a day after the expiry', async () => {
    const plans = Array.from({ length: 3 }, () => plannedNotification({ expiresAt: now }))
    const { deliveries, leaseToken } = await claim(plans)
    const { attemptToken } = await attempt(deliveries, leaseToken)
    const all = deliveries.map((key) => settled(key))
    const { note } = await settleDeliveries(database.pool, all, { token: attemptToken, now })
    await deleteNotes(database.pool, [note as string])
    expect(await prune(now + day - 1_000, 0)).toEqual({ notifications: 0, deliveries: 0 })
    expect(await prune(now + day + 1_000)).toEqual({ notifications: 2, deliveries: 2 })
    expect(await prune(now + day + 1_000)).toEqual({ notifications: 1, deliveries: 1 })
  })

  it('spares what is open, and outcomes that were not published', async () => {
    await claim([plannedNotification({ expiresAt: now })])
    const { key, attemptToken } = await inFlight({ expiresAt: now })
    await settleAs(key, attemptToken)
    expect(await prune(now + 30 * day)).toEqual({ notifications: 0, deliveries: 0 })
  })
})

describe('the hot path', () => {
  it('has an index for each of its queries', async () => {
    await database.pool.query(`
      INSERT INTO notifications (notification_id, user_id, notification_type, product_id)
      SELECT gen_random_uuid(), 'u' || n, 'PRICE_DROP', 'p' FROM generate_series(1, 5000) n;
      INSERT INTO deliveries (notification_id, channel, target_id, status, transactional, expires_at)
      SELECT notification_id, 'PUSH', 'phone', 'SUCCESS', false, now() FROM notifications;
      INSERT INTO devices (device_id, user_id, token, platform, push_consent)
      SELECT 'd' || n, 'u' || n, 't' || n, 'IOS', true FROM generate_series(1, 5000) n;
      ANALYZE notifications, deliveries, devices
    `)
    const planOf = async (query: string) =>
      JSON.stringify((await database.pool.query(`EXPLAIN (FORMAT JSON) ${query}`)).rows)
    const queries = {
      deliveries_leases: "SELECT 1 FROM deliveries WHERE status = 'READY' AND lease_until <= now() LIMIT 10",
      deliveries_due: 'SELECT 1 FROM deliveries WHERE next_retry_at <= now() LIMIT 10',
      deliveries_recoverable: 'SELECT 1 FROM deliveries WHERE retryable AND expires_at > now() LIMIT 10',
      notifications_expiry: "SELECT 1 FROM notifications WHERE expires_at < now() - interval '1 day' LIMIT 10",
      devices_of_user: "SELECT 1 FROM devices WHERE user_id = ANY ('{u1,u2}') AND status = 'ACTIVE'",
    }
    for (const [index, query] of Object.entries(queries)) expect(await planOf(query)).toContain(`"${index}"`)
  })
})

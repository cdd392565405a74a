import { migrate } from '@dropbell/database/migrate'
import { createTestDatabase, type TestDatabase } from '@dropbell/database/testing/test-database'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createMetrics } from '@dropbell/shared/metrics'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import pg, { type Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionRequest, Admit } from './admit.ts'
import { createAdmission } from './create-admission.ts'
import { notificationIdOf } from './notification-id.ts'
import { createNotificationMetrics } from './notification-metrics.ts'
import { type OpenGate, openGate } from './testing/open-gate.ts'
import { readMetric } from './testing/read-metric.ts'

const hourMs = 3_600_000

let database: TestDatabase
let opened: OpenGate
let admit: Admit
const { log, lines } = captureLog()
const registry = createMetrics({ service: 'test' })
const metrics = createNotificationMetrics(registry)

beforeAll(async () => {
  database = await createTestDatabase()
  await migrate({ connection: { connectionString: database.url }, log })
})
afterAll(() => database.drop())
beforeEach(() => {
  opened = openGate({ ...testEnv() })
  admit = createAdmission({ pool: database.pool, gate: opened.gate, metrics, log })
})
afterEach(async () => {
  await opened.close()
  await database.pool.query('TRUNCATE user_info, notification_preferences, notifications')
})

let events = 0

/** An event of its own, of a product of its own, that happens when it is looked at. */
const request = (at: string, changes: Partial<AdmissionRequest> = {}, users = ['u']): AdmissionRequest => {
  const eventId = changes.eventId ?? `evt-${++events}`
  const type = changes.type ?? 'PRICE_DROP'
  const now = Date.parse(at)
  return {
    type,
    eventId,
    eventTimestamp: now,
    expiresAt: now + 24 * hourMs,
    subject: `P-${eventId}`,
    replayCount: 0,
    candidates: users.map((userId) => ({ userId, notificationId: notificationIdOf({ eventId, userId, type }) })),
    ...changes,
  }
}

/** At the time of its event. */
const resultOf = async (asked: AdmissionRequest, by: Admit = admit): Promise<string> => {
  const [admission] = (await by([asked], asked.eventTimestamp)).flat()
  if (admission === undefined) return 'nobody'
  return admission.decision.kind === 'admitted' ? 'admitted' : admission.decision.reason
}

const admitTimes = async (count: number, at: string, changes: Partial<AdmissionRequest> = {}): Promise<string[]> => {
  const results: string[] = []
  for (let n = 0; n < count; n++) results.push(await resultOf(request(at, changes)))
  return results
}
const ten = Array(10).fill('admitted')

describe('the daily limit', () => {
  const liveIn = (zone: string) =>
    database.pool.query("INSERT INTO user_info (user_id, timezone) VALUES ('u', $1)", [zone])

  it.each([
    ['Asia/Seoul', '2026-01-15T14:59:59.999Z', '2026-01-15T15:00:00.000Z'],
    ['America/New_York', '2026-01-16T04:59:59.999Z', '2026-01-16T05:00:00.000Z'],
    // The day of 23 hours, and the one of 25.
    ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-09T04:00:00.000Z'],
    ['America/New_York', '2026-11-02T04:59:59.999Z', '2026-11-02T05:00:00.000Z'],
  ])('begins anew at midnight of %s (%s), not before', async (zone, before, midnight) => {
    await liveIn(zone)
    expect(await admitTimes(11, before)).toEqual([...ten, 'daily-limit'])
    expect(await admitTimes(11, midnight)).toEqual([...ten, 'daily-limit'])
  })

  it('holds for all 25 hours of the day on which clocks go back', async () => {
    await liveIn('America/New_York')
    expect(await admitTimes(10, '2026-11-01T04:00:00.000Z')).toEqual(ten)
    expect(await admitTimes(1, '2026-11-02T04:59:59.999Z')).toEqual(['daily-limit'])
  })

  it('is that of Seoul for a zone that does not exist, which is counted, and logged once', async () => {
    await liveIn('Mars/Olympus')
    expect(await admitTimes(11, '2026-01-15T14:59:59Z')).toEqual([...ten, 'daily-limit'])
    expect(await admitTimes(1, '2026-01-15T15:00:00Z')).toEqual(['admitted'])
    expect(await readMetric(registry, 'dropbell_unknown_timezones_total')).toEqual({ '': 12 })
    expect(lines().filter(({ detail }) => detail === 'Mars/Olympus')).toHaveLength(1)
  })

  it('is not used up by what the user does not want: 10 restocks after 20 refused price drops', async () => {
    await database.pool.query("INSERT INTO notification_preferences (user_id, price_drop_enabled) VALUES ('u', false)")
    const at = '2026-01-15T03:00:00Z'
    expect(await admitTimes(20, at)).toEqual(Array(20).fill('opted-out'))
    expect(await admitTimes(11, at, { type: 'BACK_IN_STOCK' })).toEqual([...ten, 'daily-limit'])
  })
})

describe('an event that comes again', () => {
  const at = '2026-01-15T03:00:00Z'

  it('is admitted again within the hour, and counted once', async () => {
    const asked = request(at)
    expect([await resultOf(asked), await resultOf(asked)]).toEqual(['admitted', 'admitted'])
    expect(await opened.observer.get(opened.keys.daily('u', '2026-01-15'))).toBe('1')
  })

  it('takes no slot after three hours from those who were told already', async () => {
    const asked = request(at, {}, ['told', 'new'])
    const told = asked.candidates[0]?.notificationId
    await database.pool.query("INSERT INTO notifications VALUES ($1, 'told', 'PRICE_DROP', 'P', 'e')", [told])
    const later = (await admit([asked], asked.eventTimestamp + 3 * hourMs)).flat()
    expect(later.map(({ decision }) => decision)).toEqual([
      { kind: 'refused', reason: 'already-known' },
      { kind: 'admitted' },
    ])
    expect(await opened.observer.exists(opened.keys.daily('told', '2026-01-15'))).toBe(0)
  })
})

describe('without Postgres', () => {
  it('admits nobody and takes no slot', async () => {
    const pool: Pool = new pg.Pool({ host: '127.0.0.1', port: await closedPort() })
    const blind = createAdmission({ pool, gate: opened.gate, metrics, log })
    await expect(resultOf(request('2026-01-15T03:00:00Z'), blind)).rejects.toMatchObject({
      name: 'TransientError',
      dependency: 'postgres',
    })
    expect(await opened.observer.exists(opened.keys.daily('u', '2026-01-15'))).toBe(0)
    await pool.end()
  })
})

it('admits a page of 10,000 users', async () => {
  const users = Array.from({ length: 10_000 }, (_, n) => `u-${n}`)
  await database.pool.query("INSERT INTO user_info SELECT 'u-' || n, 'Europe/Paris' FROM generate_series(0, 9999, 3) n")
  await database.pool.query(
    "INSERT INTO notification_preferences SELECT 'u-' || n, false FROM generate_series(0, 9999, 4) n",
  )
  const asked = request('2026-01-15T03:00:00Z', {}, users)
  const admissions = (await admit([asked], asked.eventTimestamp)).flat()
  expect(admissions.map(({ userId }) => userId)).toEqual(users)
  expect(admissions.filter(({ decision }) => decision.kind === 'admitted')).toHaveLength(7_500)
})

import { captureLog } from '@dropbell/shared/testing/capture-log'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { beginRun } from './begin-run.ts'
import { commitPage, type PageCommit } from './commit-page.ts'
import { endRun } from './end-run.ts'
import { forgetLeftOut } from './forget-left-out.ts'
import { keepRun } from './keep-run.ts'
import { readLeftOut } from './read-left-out.ts'
import { readLiveRun } from './read-live-run.ts'
import { haveRuns, readLastDone, readRun } from './read-run.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await migrate({ connection: { connectionString: database.url }, log: captureLog().log })
})
afterAll(() => database.drop())
afterEach(() => database.pool.query('TRUNCATE recommendation_runs, recommendation_left_out'))

const day = '2026-03-29'
const now = Date.UTC(2026, 2, 29)
const staleMs = 60_000

const begin = (said: Partial<Parameters<typeof beginRun>[1]> = {}) =>
  beginRun(database.pool, { day, asOf: now, now, staleMs, ...said })
const commit = (fence: number, said: Partial<PageCommit> = {}) =>
  commitPage(
    database.pool,
    { day, fence },
    { cursor: 'u5', users: 5, sent: 3, nothing: 1, refused: {}, leftOut: [], served: [], ...said },
  )
const end = (fence: number, status: 'PAUSED' | 'FAILED' | 'DONE', reason: string | null = null) =>
  endRun(database.pool, { day, fence }, { status, reason, now: now + 1_000 })
const letHeartbeatAge = (ms: number) =>
  database.pool.query("UPDATE recommendation_runs SET heartbeat_at = now() - $1 * interval '1 ms'", [ms])

describe('the run of a day', () => {
  it('is begun by one of many', async () => {
    const begun = await Promise.all(Array.from({ length: 8 }, () => begin()))
    const runs = begun.flatMap((run) => run ?? [])
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatchObject({ day, status: 'RUNNING', fence: 1, cursor: null, users: 0, as_of: new Date(now) })
  })

  it('goes on after the last committed page, as of the same moment, behind a higher fence', async () => {
    await begin()
    expect(await commit(1, { refused: { 'opted-out': 1 } })).toBe(0)
    for (const _ of ['once', 'and again, its answer lost']) {
      expect(await end(1, 'PAUSED', 'STOPPING')).toMatchObject({ status: 'PAUSED', ended_at: new Date(now + 1_000) })
    }
    expect(await end(1, 'DONE')).toBeUndefined()
    expect(await begin({ asOf: now + 99_000, now: now + 99_000 })).toMatchObject({
      ...{ status: 'RUNNING', fence: 2, cursor: 'u5', reason: null, ended_at: null },
      ...{ users: 5, sent: 3, nothing: 1, refused: { 'opted-out': 1 } },
      ...{ as_of: new Date(now), started_at: new Date(now) },
    })
  })

  it('is taken from a holder that has not been heard of for too long, and from no other', async () => {
    await begin()
    await letHeartbeatAge(staleMs - 5_000)
    expect(await begin()).toBeUndefined()
    await letHeartbeatAge(staleMs + 1_000)
    expect(await begin()).toMatchObject({ fence: 2 })
    expect((await readRun(database.pool, day))?.heartbeat_age_ms).toBeLessThan(5_000)
  })

  it('of another day is alive while its holder is heard of', async () => {
    await begin()
    expect(await readLiveRun(database.pool, { day, staleMs })).toBeUndefined()
    const other = { day: '2026-03-30', staleMs }
    expect(await readLiveRun(database.pool, other)).toMatchObject({ day, status: 'RUNNING' })
    await letHeartbeatAge(staleMs + 1_000)
    expect(await readLiveRun(database.pool, other)).toBeUndefined()
    expect(await haveRuns(database.pool)).toBe(true)
    await database.pool.query('TRUNCATE recommendation_runs')
    expect(await haveRuns(database.pool)).toBe(false)
  })

  it('takes nothing more from a holder behind an older fence', async () => {
    await begin()
    await letHeartbeatAge(staleMs + 1_000)
    await begin()
    const before = await readRun(database.pool, day)
    expect(await commit(1, { leftOut: [{ userId: 'a', reason: 'timeout' }] })).toBeUndefined()
    expect(await keepRun(database.pool, { day, fence: 1 })).toBe(false)
    expect(await end(1, 'DONE')).toBeUndefined()
    expect(await readRun(database.pool, day)).toEqual({ ...before, heartbeat_age_ms: expect.any(Number) })
    expect(await readLeftOut(database.pool, { day, after: undefined, limit: 10 })).toEqual([])
    expect(await keepRun(database.pool, { day, fence: 2 }, { expected: 70 })).toBe(true)
    expect((await readRun(database.pool, day))?.expected).toBe(70)
  })

  it('that is done is begun again only for users who were left out', async () => {
    await begin()
    await commit(1)
    await end(1, 'DONE')
    expect(await readLastDone(database.pool)).toBe(now + 1_000)
    expect(await begin()).toBeUndefined()
    await database.pool.query('UPDATE recommendation_runs SET left_out = 1')
    expect(await begin()).toMatchObject({ fence: 2, audience_read: true })
  })
})

describe('left-out users', () => {
  it('are counted once, in pages, until they are served', async () => {
    await begin()
    const leftOut = ['a', 'b', 'c'].map((userId) => ({ userId, reason: 'timeout' }))
    expect(await commit(1, { leftOut })).toBe(3)
    expect(await commit(1, { leftOut })).toBe(3)
    expect(await readLeftOut(database.pool, { day, after: undefined, limit: 2 })).toEqual(['a', 'b'])
    expect(await readLeftOut(database.pool, { day, after: 'b', limit: 2 })).toEqual(['c'])
    expect(await commit(1, { cursor: undefined, served: ['a', 'c', 'never left out'] })).toBe(1)
    expect(await readRun(database.pool, day)).toMatchObject({ cursor: 'u5', left_out: 1 })
  })

  it('are listed with the reason of the latest attempt, and still counted once', async () => {
    await begin()
    expect(await commit(1, { leftOut: [{ userId: 'a', reason: 'held-back' }] })).toBe(1)
    const leftOut = ['a', 'b'].map((userId) => ({ userId, reason: 'refused' }))
    expect(await commit(1, { cursor: undefined, leftOut })).toBe(2)
    const { rows } = await database.pool.query('SELECT user_id, reason FROM recommendation_left_out ORDER BY 1')
    expect(rows).toEqual(leftOut.map(({ userId, reason }) => ({ user_id: userId, reason })))
  })

  it('are forgotten after a week', async () => {
    await database.pool.query(
      "INSERT INTO recommendation_left_out SELECT d, 'u', 'timeout' FROM unnest('{2026-03-21,2026-03-22,2026-03-29}'::date[]) d",
    )
    await forgetLeftOut(database.pool, day)
    const { rows } = await database.pool.query('SELECT day::text FROM recommendation_left_out ORDER BY day')
    expect(rows.map((row) => row.day)).toEqual(['2026-03-22', '2026-03-29'])
  })
})

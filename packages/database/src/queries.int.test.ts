import { randomUUID } from 'node:crypto'
import { TransientError } from '@dropbell/shared/errors'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { findKnownNotifications } from './find-known-notifications.ts'
import { migrate } from './migrate.ts'
import { defaultRecipient, readRecipients } from './read-recipients.ts'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await migrate({ connection: { connectionString: database.url }, log: captureLog().log })
})
afterAll(() => database.drop())
afterEach(async () => {
  vi.restoreAllMocks()
  await database.pool.query('TRUNCATE user_info, notification_preferences, notifications')
})

describe('readRecipients', () => {
  it('gives the defaults to whoever has no row', async () => {
    expect(await readRecipients(database.pool, ['a', 'b'])).toEqual(
      new Map([
        ['a', defaultRecipient],
        ['b', defaultRecipient],
      ]),
    )
  })

  it('has the same defaults as the tables', async () => {
    await database.pool.query("INSERT INTO user_info (user_id) VALUES ('a')")
    await database.pool.query("INSERT INTO notification_preferences (user_id) VALUES ('a')")
    expect((await readRecipients(database.pool, ['a'])).get('a')).toEqual(defaultRecipient)
  })

  it('reads zone and locale without preferences, and preferences without zone and locale', async () => {
    await database.pool.query("INSERT INTO user_info VALUES ('a', 'America/New_York', 'en-US')")
    await database.pool.query(
      "INSERT INTO notification_preferences (user_id, price_drop_enabled, reminder_enabled, channels) VALUES ('b', false, false, '{EMAIL}')",
    )
    const recipients = await readRecipients(database.pool, ['a', 'b'])
    expect(recipients.get('a')).toEqual({ ...defaultRecipient, timezone: 'America/New_York', locale: 'en-US' })
    expect(recipients.get('b')).toEqual({
      ...defaultRecipient,
      optedOut: new Set(['PRICE_DROP', 'REMINDER']),
      channels: ['EMAIL'],
    })
  })

  it.each([
    ['price_drop_enabled', 'PRICE_DROP'],
    ['restock_enabled', 'BACK_IN_STOCK'],
    ['recommendation_enabled', 'RECOMMENDATION'],
    ['reminder_enabled', 'REMINDER'],
  ])('takes %s = false for opting out of %s alone', async (column, type) => {
    await database.pool.query(`INSERT INTO notification_preferences (user_id, ${column}) VALUES ('a', false)`)
    expect((await readRecipients(database.pool, ['a'])).get('a')?.optedOut).toEqual(new Set([type]))
  })

  it('answers for a page of 10,000 users with one query', async () => {
    await database.pool.query("INSERT INTO user_info SELECT 'u' || n, 'Asia/Tokyo' FROM generate_series(0, 9999, 2) n")
    await database.pool.query(
      "INSERT INTO notification_preferences SELECT 'u' || n, false FROM generate_series(0, 9999, 5) n",
    )
    const query = vi.spyOn(database.pool, 'query')
    const recipients = await readRecipients(
      database.pool,
      Array.from({ length: 10_000 }, (_, n) => `u${n}`),
    )
    expect(query).toHaveBeenCalledTimes(1)
    expect(recipients.size).toBe(10_000)
    const all = [...recipients.values()]
    expect(all.filter(({ timezone }) => timezone === 'Asia/Tokyo')).toHaveLength(5_000)
    expect(all.filter(({ optedOut }) => optedOut.has('PRICE_DROP'))).toHaveLength(2_000)
  })

  it('asks nothing for an empty page', async () => {
    const query = vi.spyOn(database.pool, 'query')
    expect(await readRecipients(database.pool, [])).toEqual(new Map())
    expect(query).not.toHaveBeenCalled()
  })

  it('is not stopped by ids that Postgres cannot store or that look like SQL', async () => {
    const odd = ['nul\0', "';--", '{a,b}', '', '운동화', 'NULL', '\\']
    expect([...(await readRecipients(database.pool, odd)).keys()]).toEqual(odd)
  })

  it('fails with a failure that may pass when the server is gone', async () => {
    const pool = new pg.Pool({ host: '127.0.0.1', port: await closedPort(), connectionTimeoutMillis: 1_000 })
    const failure = await readRecipients(pool, ['a']).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransientError)
    expect(failure).toMatchObject({ code: 'POSTGRES_UNAVAILABLE', dependency: 'postgres' })
    await pool.end()
  })

  it('fails with a failure that may pass when a lock holds the query up for too long', async () => {
    const holder = await database.pool.connect()
    await holder.query('BEGIN; LOCK TABLE notification_preferences IN ACCESS EXCLUSIVE MODE')
    const pool = new pg.Pool({ connectionString: database.url, statement_timeout: 100 })
    await expect(readRecipients(pool, ['a'])).rejects.toMatchObject({ code: 'POSTGRES_TIMEOUT' })
    await holder.query('ROLLBACK')
    holder.release()
    await pool.end()
  })
})

describe('findKnownNotifications', () => {
  it('returns those of the asked ids that have a row', async () => {
    const ids = Array.from({ length: 10_000 }, () => randomUUID())
    await database.pool.query(
      "INSERT INTO notifications SELECT id, 'u', 'PRICE_DROP', 'p', 'e' FROM unnest($1::uuid[]) id",
      [ids.slice(0, 4_000)],
    )
    const query = vi.spyOn(database.pool, 'query')
    expect(await findKnownNotifications(database.pool, ids)).toEqual(new Set(ids.slice(0, 4_000)))
    expect(query).toHaveBeenCalledTimes(1)
    expect(await findKnownNotifications(database.pool, [])).toEqual(new Set())
  })
})

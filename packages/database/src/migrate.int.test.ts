import { randomUUID } from 'node:crypto'
import { TransientError } from '@dropbell/shared/errors'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assertMigrated } from './assert-migrated.ts'
import { readOutcomes } from './ledger/read-outcomes.ts'
import { migrate } from './migrate.ts'
import { migrationList } from './migration-list.ts'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

const everything = Object.keys(migrationList)

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const run = () => migrate({ connection: { connectionString: database.url }, log: captureLog().log })

describe('migrate', () => {
  it('applies everything in order to an empty database, and nothing the second time', async () => {
    expect(await run()).toEqual(everything)
    expect(await run()).toEqual([])
  })

  it('applies every migration once when several run at the same time', async () => {
    const applied = await Promise.all([run(), run(), run(), run()])
    expect(applied.flat()).toEqual(everything)
    const { rows } = await database.pool.query('SELECT name FROM pgmigrations ORDER BY id')
    expect(rows.map(({ name }) => name)).toEqual(everything)
  })

  it('takes over which outcomes were published, and how often each had changed', async () => {
    const { pool } = database
    await run()
    // As it was before the notes.
    await pool.query(`
      ALTER TABLE notifications
        DROP timezone,
        ADD outcome_revision integer NOT NULL DEFAULT 0, ADD outcome_at timestamptz,
        ADD published_revision integer NOT NULL DEFAULT 0;
      ALTER TABLE deliveries DROP revision, DROP revised_at;
      DROP TABLE unpublished_outcomes;
      DELETE FROM pgmigrations WHERE name >= '0009'`)
    const [published, unpublished, open] = [randomUUID(), randomUUID(), randomUUID()]
    await pool.query(
      `INSERT INTO notifications (
         notification_id, user_id, notification_type, product_id, outcome_revision, outcome_at, published_revision
       ) VALUES ($1, 'u', 'PRICE_DROP', 'p', 2, now(), 2), ($2, 'u', 'PRICE_DROP', 'p', 3, now(), 2),
         ($3, 'u', 'PRICE_DROP', 'p', 0, NULL, 0)`,
      [published, unpublished, open],
    )
    await pool.query(
      `INSERT INTO deliveries (notification_id, channel, target_id, status, transactional, expires_at, lease_until)
       SELECT n, c, 't', CASE WHEN n = $4 THEN 'READY' ELSE 'SUCCESS' END, false, now(), CASE WHEN n = $4 THEN now() END
       FROM unnest(ARRAY[$1, $2, $4]::uuid[]) n, unnest($3::text[]) c`,
      [published, unpublished, ['PUSH', 'IN_APP'], open],
    )
    await run()
    expect((await pool.query('SELECT notification_ids FROM unpublished_outcomes')).rows).toEqual([
      { notification_ids: [unpublished] },
    ])
    const outcomes = await readOutcomes(pool, [published, unpublished, open])
    const revisions = new Map(outcomes.map((row) => [row.notification_id, row.outcome_revision]))
    expect(revisions.get(published)).toBeGreaterThanOrEqual(2)
    expect(revisions.get(unpublished)).toBeGreaterThanOrEqual(3)
    expect(revisions.has(open)).toBe(false)
  })

  it('leaves nothing behind when one of them fails', async () => {
    await database.pool.query('CREATE TABLE notifications (taken int)')
    await expect(run()).rejects.toMatchObject({ code: 'POSTGRES_UNUSABLE', cause: { code: '42P07' } })
    const { rows } = await database.pool.query("SELECT to_regclass('user_info') AS found")
    expect(rows).toEqual([{ found: null }])
    await database.pool.query('DROP TABLE notifications')
    expect(await run()).toEqual(everything)
  })

  it('does not hold its lock after a failure', async () => {
    await database.pool.query('CREATE TABLE notifications (taken int)')
    await expect(run()).rejects.toThrow()
    const { rows } = await database.pool.query(
      "SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    expect(rows).toEqual([{ locks: 0 }])
  })

  it('says that a server which cannot be reached may come back', async () => {
    const connection = { host: '127.0.0.1', port: await closedPort(), user: 'x', database: 'x' }
    const failure = await migrate({ connection, log: captureLog().log }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TransientError)
    expect(failure).toMatchObject({ code: 'POSTGRES_UNAVAILABLE', dependency: 'postgres' })
  })
})

describe('assertMigrated', () => {
  it('refuses a database that was never migrated, and one that lacks a migration', async () => {
    await expect(assertMigrated(database.pool)).rejects.toMatchObject({ code: 'DATABASE_NOT_MIGRATED' })
    await run()
    await assertMigrated(database.pool)
    await database.pool.query("DELETE FROM pgmigrations WHERE name = '0003_notifications'")
    await expect(assertMigrated(database.pool)).rejects.toThrow(/lacks 0003_notifications: run/)
  })

  it('accepts migrations that a newer release has applied', async () => {
    await run()
    await database.pool.query("INSERT INTO pgmigrations (name, run_on) VALUES ('9999_later', now())")
    await assertMigrated(database.pool)
  })
})

describe('the tables', () => {
  const refused = (statement: string) =>
    expect(database.pool.query(statement)).rejects.toMatchObject({ code: expect.stringMatching(/^23/) })

  it('fill in what a row leaves out', async () => {
    await run()
    await database.pool.query("INSERT INTO user_info (user_id) VALUES ('u')")
    await database.pool.query("INSERT INTO notification_preferences (user_id) VALUES ('u')")
    const users = await database.pool.query('SELECT timezone, locale, email, phone FROM user_info')
    expect(users.rows).toEqual([{ timezone: 'Asia/Seoul', locale: 'ko', email: null, phone: null }])
    const preferences = await database.pool.query('SELECT * FROM notification_preferences')
    expect(preferences.rows).toEqual([
      {
        user_id: 'u',
        price_drop_enabled: true,
        restock_enabled: true,
        recommendation_enabled: true,
        reminder_enabled: true,
        channels: ['PUSH', 'IN_APP'],
        quiet_hours_start: null,
        quiet_hours_end: null,
        updated_at: expect.any(Date),
      },
    ])
  })

  it('refuse what no code of ours could handle', async () => {
    await run()
    await refused("INSERT INTO notification_preferences (user_id, channels) VALUES ('u', '{PIGEON}')")
    await refused("INSERT INTO notification_preferences (user_id, channels) VALUES ('u', '{PUSH,NULL}')")
    await refused("INSERT INTO notification_preferences (user_id, quiet_hours_start) VALUES ('u', '22:00')")
    await refused("INSERT INTO user_info (user_id) VALUES ('')")
    await database.pool.query("INSERT INTO user_info (user_id) VALUES ('u')")
    await refused("INSERT INTO user_info (user_id) VALUES ('u')")
  })
})

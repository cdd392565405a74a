import { randomUUID } from 'node:crypto'
import { createTestDatabase } from '@dropbell/database/testing/test-database'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

describe('db migrate', () => {
  it('makes the tables, and finds them made the second time', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    const first = await runInProcess(['db', 'migrate', '--json'], { env })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout).applied.length).toBeGreaterThan(0)
    await database.pool.query('SELECT user_id, timezone FROM user_info')
    expect(await runInProcess(['db', 'migrate'], { env })).toMatchObject({
      code: 0,
      stdout: 'The database is up to date.\n',
    })
  })

  it('ends with 3 and says where to look when nobody listens, and keeps the password to itself', async () => {
    const { code, stderr } = await runInProcess(['db', 'migrate', '--database', 'postgres://me:hush@127.0.0.1:1/x'])
    expect(code).toBe(3)
    expect(stderr).toContain('DATABASE_URL')
    expect(stderr).not.toContain('hush')
  })
})

describe('db prune', () => {
  const openDatabase = async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const env = { DATABASE_URL: database.url }
    await runInProcess(['db', 'migrate'], { env })
    return { database, env }
  }

  it('deletes what expired long enough ago, in batches, and nothing else', async () => {
    const { database, env } = await openDatabase()
    await database.pool.query(`
      INSERT INTO notifications (notification_id, user_id, notification_type, product_id, expires_at)
      SELECT gen_random_uuid(), 'u', 'PRICE_DROP', 'p', now() - n * interval '1 day' FROM generate_series(1, 40) n;
      INSERT INTO deliveries (notification_id, channel, target_id, status, transactional, expires_at)
      SELECT notification_id, 'PUSH', 'd', 'SUCCESS', false, expires_at FROM notifications
    `)
    const first = await runInProcess(['db', 'prune', '--batch-size', '3', '--json'], { env })
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(first.stdout)).toEqual({ notifications: 11, deliveries: 11 })
    expect(await runInProcess(['db', 'prune', '--keep-days', '20'], { env })).toMatchObject({
      code: 0,
      stdout: 'Deleted 10 notifications and 10 deliveries.\n',
    })
    const { rows } = await database.pool.query('SELECT count(*)::int AS left FROM deliveries')
    expect(rows).toEqual([{ left: 19 }])
  })

  it('refuses to delete what expired less than a day ago', async () => {
    const { env } = await openDatabase()
    expect(await runInProcess(['db', 'prune', '--keep-days', '0'], { env })).toMatchObject({ code: 2 })
  })

  it('asks for a migrated database', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const { code, stderr } = await runInProcess(['db', 'prune'], { env: { DATABASE_URL: database.url } })
    expect(code).not.toBe(0)
    expect(stderr).toContain('dropbell db migrate')
  })
})

describe('indices apply', () => {
  it('makes the indices with our layout, and can be repeated', async () => {
    const env = {
      ELASTICSEARCH_URL: testEnv().ELASTICSEARCH_URL,
      USER_BEHAVIOR_INDEX: `behaviours-${randomUUID()}`,
      PRODUCT_INDEX: `products-${randomUUID()}`,
      NOTIFICATION_HISTORY_INDEX: `history-${randomUUID()}`,
    }
    expect(await runInProcess(['indices', 'apply'], { env })).toMatchObject({ code: 0 })
    expect(await runInProcess(['indices', 'apply'], { env })).toMatchObject({ code: 0 })
    const response = await fetch(`${env.ELASTICSEARCH_URL}/${env.USER_BEHAVIOR_INDEX}/_mapping`)
    const { [env.USER_BEHAVIOR_INDEX]: index } = (await response.json()) as Record<string, { mappings: object }>
    expect(index?.mappings).toMatchObject({ properties: { userId: { type: 'keyword' } } })
    const history = await fetch(`${env.ELASTICSEARCH_URL}/${env.NOTIFICATION_HISTORY_INDEX}/_mapping`)
    const [[month, made] = []] = Object.entries((await history.json()) as Record<string, { mappings: object }>)
    expect(month).toMatch(/-\d{4}\.\d\d$/)
    expect(made?.mappings).toMatchObject({ dynamic: 'strict', properties: { notificationId: { type: 'keyword' } } })
  })

  it('ends with 3 when nobody listens', async () => {
    const { code, stderr } = await runInProcess(['indices', 'apply', '--elasticsearch', 'http://127.0.0.1:1'])
    expect(code).toBe(3)
    expect(stderr).toContain('ELASTICSEARCH_URL')
  })
})

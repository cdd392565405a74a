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

describe('indices apply', () => {
  it('makes the indices with our layout, and can be repeated', async () => {
    const env = {
      ELASTICSEARCH_URL: testEnv().ELASTICSEARCH_URL,
      USER_BEHAVIOR_INDEX: `behaviours-${randomUUID()}`,
      PRODUCT_INDEX: `products-${randomUUID()}`,
    }
    expect(await runInProcess(['indices', 'apply'], { env })).toMatchObject({ code: 0 })
    expect(await runInProcess(['indices', 'apply'], { env })).toMatchObject({ code: 0 })
    const response = await fetch(`${env.ELASTICSEARCH_URL}/${env.USER_BEHAVIOR_INDEX}/_mapping`)
    const { [env.USER_BEHAVIOR_INDEX]: index } = (await response.json()) as Record<string, { mappings: object }>
    expect(index?.mappings).toMatchObject({ properties: { userId: { type: 'keyword' } } })
  })

  it('ends with 3 when nobody listens', async () => {
    const { code, stderr } = await runInProcess(['indices', 'apply', '--elasticsearch', 'http://127.0.0.1:1'])
    expect(code).toBe(3)
    expect(stderr).toContain('ELASTICSEARCH_URL')
  })
})

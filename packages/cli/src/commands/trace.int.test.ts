import { randomUUID } from 'node:crypto'
import { claimPlans } from '@dropbell/database/ledger/claim-plans'
import { migrate } from '@dropbell/database/migrate'
import { plannedNotification } from '@dropbell/database/testing/planned-notification'
import { createTestDatabase, type TestDatabase } from '@dropbell/database/testing/test-database'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

let database: TestDatabase
const names = {
  USER_BEHAVIOR_INDEX: `behaviours-${randomUUID()}`,
  NOTIFICATION_HISTORY_INDEX: `history-${randomUUID()}`,
}
const env = () => ({ ...testEnv(), ...names, DATABASE_URL: database.url })

beforeAll(async () => {
  database = await createTestDatabase()
  await migrate({ connection: { connectionString: database.url }, log: captureLog().log })
})
afterAll(() => database.drop())

const nowhere = {
  KAFKA_BROKERS: '127.0.0.1:1',
  SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  ELASTICSEARCH_URL: 'http://127.0.0.1:1',
  REDIS_URL: 'redis://:hush@127.0.0.1:1',
}

describe('trace', () => {
  it('shows what the ledger knows although there is no history, and keeps tokens to itself', async () => {
    const notification = plannedNotification({ userId: `ann-${randomUUID()}` })
    const { pool } = database
    await claimPlans(pool, [notification], { leaseToken: randomUUID(), leaseMs: 60_000, now: Date.now() })
    await pool.query(
      "INSERT INTO devices (device_id, user_id, token, platform, push_consent) VALUES ('phone', $1, 'secret-token', 'IOS', true)",
      [notification.userId],
    )
    const { code, stdout } = await runInProcess(['trace', '--notification', notification.notificationId], {
      env: env(),
    })
    expect(code).toBe(0)
    expect(stdout).toContain(`PRICE_DROP of p for ${notification.userId}: UNDER_WAY`)
    expect(stdout).toContain('planned   for PUSH phone')
    expect(stdout).toContain(`history unavailable: the index ${names.NOTIFICATION_HISTORY_INDEX} does not exist`)
    expect(stdout).not.toContain('secret-token')
  })

  it('ends with 4 where nothing is known', async () => {
    const { code, stdout } = await runInProcess(['trace', '--notification', randomUUID(), '--json'], { env: env() })
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ found: false, ways: [] })
  })

  it('does without the engines that are down', async () => {
    const only = { ...nowhere, DATABASE_URL: database.url }
    const { code, stdout } = await runInProcess(['trace', '--user', 'nobody', '--json'], { env: only })
    expect(code).toBe(4)
    const { sources, user } = JSON.parse(stdout) as { sources: { source: string; state: string }[]; user: object }
    expect(Object.fromEntries(sources.map(({ source, state }) => [source, state]))).toMatchObject({
      ...{ history: 'unavailable', kafka: 'unavailable', redis: 'unavailable', ledger: 'answered' },
    })
    expect(user).toMatchObject({ timezone: 'Asia/Seoul' })
    expect(stdout).not.toContain('hush')
  })

  it('ends with 3 where nobody can be asked, and keeps passwords to itself', async () => {
    const { code, stderr } = await runInProcess(['trace', '--event', 'evt-1'], { env: nowhere })
    expect(code).toBe(3)
    expect(stderr).toContain('Nobody could be asked')
    expect(stderr).toContain('ledger: not-configured')
    expect(stderr).not.toContain('hush')
  })
})

import { setTimeout as delay } from 'node:timers/promises'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSenderWorld, type Lane, type SenderWorld } from './testing/sender-world.ts'

vi.setConfig({ testTimeout: 180_000 })

const engines = ['kafka', 'schema-registry', 'elasticsearch', 'redis', 'postgres', 'fcm-simulator']

let stack: Stack
let world: SenderWorld
let lane: Lane
beforeAll(async () => {
  stack = await startIsolatedStack({ engines })
  world = await createSenderWorld(stack)
})
afterEach(() => lane?.stop())
afterAll(async () => {
  await world?.close()
  await stack?.reset()
})

const outageMs = 10_000

/** Leases outlast the outage: whoever has sent something settles it when the database is back. */
const patient = {
  DELIVERY_LEASE_MS: '30000',
  DELIVERY_SEND_DEADLINE_MS: '3000',
  DELIVERY_RETRY_DELAYS_MS: '1000,2000,4000,8000',
  CONSUMER_MAX_BATCH_RECORDS: '20',
  FCM_BREAKER_FAILURES: '5',
  FCM_BREAKER_RESET_MS: '500',
}

/** Two instances that have much to do when the engine goes, and get more while it is gone. */
const throughOutage = async (engine: string, { publishMeanwhile = true } = {}) => {
  lane = await world.openLane(patient)
  await lane.collectDeadLetters()
  await Promise.all([lane.startHere(), lane.startHere()])
  const before = await lane.prepare(300)
  const during = publishMeanwhile ? await lane.prepare(60) : []
  await lane.publish(before)
  await vi.waitFor(async () => expect((await lane.fcm.report()).accepted).toBeGreaterThan(20), {
    timeout: 20_000,
    interval: 5,
  })
  await stack.engine(engine).stop()
  const stoppedAt = Date.now()
  for (let sent = 0; sent < during.length; sent += 20) await lane.publish(during.slice(sent, sent + 20))
  await delay(outageMs - (Date.now() - stoppedAt))
  await stack.engine(engine).start()
  return [...before, ...during]
}

/** Everything that is not a dead letter is settled, then so is everything else. */
const untilAllSettled = async (notifications: readonly NotificationEvent[]): Promise<void> => {
  const idsOf = (list: readonly { notification_id: string }[]) => new Set(list.map((row) => row.notification_id))
  await vi.waitFor(
    async () => {
      const ids = notifications.map(({ notificationId }) => notificationId)
      const { rows } = await lane.pool.query(
        'SELECT notification_id FROM notifications WHERE notification_id = ANY ($1)',
        [ids],
      )
      const known = idsOf(rows)
      const dead = new Set(lane.deadLetters().map(({ key }) => String(key)))
      const lost = notifications.filter((one) => !known.has(one.notificationId) && !dead.has(one.userId))
      expect(lost).toEqual([])
    },
    { timeout: 60_000, interval: 200 },
  )
  if (lane.deadLetters().length > 0) await lane.replayDeadLetters()
  await lane.untilSettled(notifications, 60_000)
}

describe('without Postgres for 10 s', () => {
  it('everything is delivered, if need be after its replay, and nothing twice', async () => {
    const notifications = await throughOutage('postgres')
    await untilAllSettled(notifications)
    expect(await lane.receivedBy(notifications)).toEqual(notifications.map(() => 1))
  })
})

describe('without Redis for 10 s', () => {
  it('promotional deliveries wait in the ledger, and nothing is sent twice', async () => {
    const notifications = await throughOutage('redis')
    await untilAllSettled(notifications)
    expect(await lane.receivedBy(notifications)).toEqual(notifications.map(() => 1))
    expect(lane.deadLetters()).toEqual([])
  })
})

describe('without Kafka for 10 s', () => {
  it('everything is delivered once, and every outcome is published', async () => {
    const notifications = await throughOutage('kafka', { publishMeanwhile: false })
    await untilAllSettled(notifications)
    expect(await lane.receivedBy(notifications)).toEqual(notifications.map(() => 1))
  })
})

describe('without FCM for 10 s', () => {
  it('everything is delivered once, but for what was under way when it went', async () => {
    const notifications = await throughOutage('fcm-simulator')
    await untilAllSettled(notifications)
    // The simulator has forgotten what it had before: what it has now must not be what was settled before.
    const received = await lane.receivedBy(notifications)
    expect(Math.max(...received)).toBe(1)
    const rows = await lane.rowsOf(notifications)
    const codes = new Set(rows.map(({ status, code }) => (status === 'SUCCESS' ? 'SUCCESS' : code)))
    expect([...codes].filter((code) => code !== 'SUCCESS' && code !== 'UNKNOWN_OUTCOME')).toEqual([])
    // A batch of 20 for each of six partitions was under way, and a message for each connection that was tried in vain.
    expect(rows.filter((row) => row.code === 'UNKNOWN_OUTCOME').length).toBeLessThanOrEqual(150)
    // What came while it was away was certainly not taken then.
    expect(received.slice(300)).toEqual(notifications.slice(300).map(() => 1))
    const byId = new Map(notifications.map((one, index) => [one.notificationId, received[index] ?? 0]))
    for (const row of rows) {
      if (row.code === 'UNKNOWN_OUTCOME') expect(byId.get(row.notification_id)).toBe(0)
    }
  })
})

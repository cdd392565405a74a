import { randomUUID } from 'node:crypto'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { systemClock } from '@dropbell/notification-producer/clock'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { notificationPushTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createSchedulerWorld,
  day,
  idsByUser,
  type Lane,
  metricOf,
  nine,
  type SchedulerWorld,
} from './testing/scheduler-world.ts'

vi.setConfig({ testTimeout: 120_000 })

let stack: Stack
let world: SchedulerWorld
let lane: Lane
beforeAll(async () => {
  stack = await startIsolatedStack()
  world = await createSchedulerWorld(stack)
})
afterEach(() => lane?.stop())
afterAll(async () => {
  await world?.close()
  await stack?.reset()
})

const soon = { timeout: 30_000, interval: 50 }
const runsOf = (metrics: string, result: string) =>
  metricOf(metrics, 'dropbell_recommendation_runs_total', `result="${result}"`)

const setSenderOffsets = (behind: 'caught-up' | 'at-the-beginning') =>
  vi.waitFor(async () => {
    const { name: topic } = notificationPushTopic
    const ends = await world.admin.fetchTopicOffsets(topic)
    const partitions = ends.map(({ partition, low, high }) => {
      return { partition, offset: behind === 'caught-up' ? high : low }
    })
    await world.admin.setOffsets({ groupId: sharedGroupOf(notificationPushTopic), topic, partitions })
  }, soon)

const endOfPush = async (): Promise<number> => {
  const ends = await world.admin.fetchTopicOffsets(notificationPushTopic.name)
  return ends.reduce((sum, { high }) => sum + Number(high), 0)
}

const priceDrop = (userId: string): NotificationEvent => ({
  ...{ notificationId: randomUUID(), userId, productId: 'P-1', notificationType: 'PRICE_DROP', priority: 'HIGH' },
  ...{ title: 'price drop', body: 'it is cheaper', data: {}, channels: ['PUSH'], timestamp: nine },
  ...{ eventId: randomUUID(), eventTimestamp: nine, expiresAt: nine + 86_400_000 },
})

describe('without Redis when the time comes', () => {
  it('there is no run, which is counted and logged, and the run is made up for when it is back', async () => {
    lane = await world.openLane({ RECOMMENDATION_CATCH_UP_UNTIL: '12:00' })
    lane.setClock(nine - 3_600_000)
    await lane.pool.query(
      "INSERT INTO recommendation_runs (day, status, as_of, started_at, ended_at, audience_read) VALUES ($1::date - 1, 'DONE', now(), now(), now(), true)",
      [day],
    )
    const users = await lane.addUsers(0, 20)
    const instance = await lane.startHere()
    // It does not see that the time comes.
    const early = nine - 3_600_000
    const idle = await lane.startHere({}, { clock: { ...systemClock, now: () => early } })
    await stack.engine('redis').stop()
    lane.setClock(nine - 1_000)
    await vi.waitFor(async () => expect(runsOf(await instance.metrics(), 'redis-unavailable')).toBeGreaterThan(1), soon)
    expect(await lane.run(day)).toBeUndefined()
    expect(lane.told()).toEqual([])
    expect((await lane.trigger(idle)).status).toBe(503)
    expect(runsOf(await idle.metrics(), 'redis-unavailable')).toBe(1)
    expect(idle.logLines()).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'recommendation run asked for by hand not begun' }),
    )
    expect(instance.logLines()).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'recommendation run not begun, looked for again soon' }),
    )

    await stack.engine('redis').start()
    await vi.waitFor(async () => expect((await lane.run(day))?.status).toBe('DONE'), soon)
    await vi.waitFor(() => expect(idsByUser(lane.told()).size).toBe(users.length), soon)
    expect(lane.told()).toHaveLength(users.length)
    expect(runsOf(await instance.metrics(), 'done')).toBe(1)
  })
})

describe('without Redis in the middle of a run', () => {
  it('nobody is told, the run fails and goes on by itself, and each user is told once', async () => {
    lane = await world.openLane({
      ...{ RECOMMENDATION_CATCH_UP_UNTIL: '12:00', PACING_MAX_LAG: '15' },
      ...{ RECOMMENDATION_LOCK_AT_MOST_MS: '5000', RECOMMENDATION_HEARTBEAT_TIMEOUT_MS: '3000' },
    })
    const users = await lane.addUsers(0, 60)
    // The senders read nothing, so it stands still before half of it is done, until Redis is gone.
    await setSenderOffsets('caught-up')
    await lane.startHere()
    await vi.waitFor(async () => expect((await lane.run(day))?.users).toBeGreaterThan(0), soon)
    await stack.engine('redis').stop()
    await setSenderOffsets('caught-up')
    expect(await lane.untilEnded(day)).toMatchObject({ status: expect.stringMatching(/^FAILED|PAUSED$/) })
    const before = (await lane.run(day))?.users
    expect(before).toBeLessThan(60)
    await stack.engine('redis').start()
    await vi.waitFor(async () => {
      await setSenderOffsets('caught-up')
      expect((await lane.run(day))?.status).toBe('DONE')
    }, soon)
    await vi.waitFor(() => expect(idsByUser(lane.told()).size).toBe(users.length), soon)
    expect([...idsByUser(lane.told()).values()].every((ids) => ids.size === 1)).toBe(true)
  })
})

describe('while the senders lag behind', () => {
  it('the run waits, ends as PAUSED after its deadline, and can go on', async () => {
    lane = await world.openLane({ PACING_MAX_LAG: '15', PACING_DEADLINE_MS: '1500' })
    await lane.addUsers(0, 60)
    await setSenderOffsets('caught-up')
    const instance = await lane.startHere()
    await lane.begin(instance)
    const paused = await lane.untilEnded(day)
    expect(paused).toMatchObject({ status: 'PAUSED', reason: 'PACING_DEADLINE' })
    expect(paused.sent).toBeLessThanOrEqual(30)
    expect(lane.told().length).toBeLessThanOrEqual(30)
    expect(runsOf(await instance.metrics(), 'paused')).toBe(1)

    await setSenderOffsets('at-the-beginning')
    await lane.begin(instance)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'PAUSED', sent: paused.sent })
    for (let sent = paused.sent; sent < 60; ) {
      await setSenderOffsets('caught-up')
      await lane.begin(instance)
      const { sent: now } = await lane.untilEnded(day)
      expect(now).toBeGreaterThan(sent)
      sent = now
    }
    expect(await lane.run(day)).toMatchObject({ status: 'DONE', users: 60, sent: 60 })
    await vi.waitFor(() => expect(idsByUser(lane.told()).size).toBe(60), soon)
    expect(lane.told()).toHaveLength(60)
  })

  it('it writes nothing more, and a price drop stands behind no more than the bound and one part', async () => {
    lane = await world.openLane({ PACING_MAX_LAG: '15' })
    await lane.addUsers(0, 60)
    await setSenderOffsets('caught-up')
    const before = await endOfPush()
    const instance = await lane.startHere()
    await lane.begin(instance)
    const waited = async () => metricOf(await instance.metrics(), 'dropbell_pacing_lag_records')
    await vi.waitFor(async () => expect(await waited()).toBeGreaterThanOrEqual(15), soon)
    await world.publish(priceDrop(lane.userId(0)))
    const waiting = (await endOfPush()) - before
    expect(waiting).toBeLessThanOrEqual(15 + 10 + 1)
    // It has looked again since: by now the price drop is among what waits.
    await vi.waitFor(async () => expect(await waited()).toBeGreaterThanOrEqual(waiting), soon)
    expect(await endOfPush()).toBe(before + waiting)
    expect(await lane.run(day)).toMatchObject({ status: 'RUNNING', sent: waiting - 1 })
  })
})

import { notificationIdOf } from '@dropbell/notification-producer/notification-id'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createSchedulerWorld,
  day,
  type Instance,
  idsByUser,
  type Lane,
  metricOf,
  nine,
  type SchedulerWorld,
} from './testing/scheduler-world.ts'

vi.setConfig({ testTimeout: 60_000 })

let world: SchedulerWorld
let lane: Lane
beforeAll(async () => {
  world = await createSchedulerWorld()
})
afterEach(() => lane?.stop())
afterAll(() => world?.close())

const soon = { timeout: 20_000, interval: 50 }
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
const runsOf = (metrics: string, result: string) =>
  metricOf(metrics, 'dropbell_recommendation_runs_total', `result="${result}"`)

/** The run of a day, as of nine in Seoul. */
const addDone = (day: string) =>
  lane.pool.query(
    "INSERT INTO recommendation_runs (day, status, as_of, started_at, ended_at, audience_read) VALUES ($1, 'DONE', $2, now(), now(), true)",
    [day, `${day}T00:00:00Z`],
  )

describe('a run', () => {
  it('recommends to everybody who was active, in the words and on the channels of a recommendation', async () => {
    lane = await world.openLane()
    const active = await lane.addUsers(0, 25)
    await lane.addUsers(25, 30, 8 * 86_400_000)
    const [english, nothing, optedOut] = [lane.userId(1), lane.userId(2), lane.userId(3)]
    await lane.pool.query("INSERT INTO user_info (user_id, locale) VALUES ($1, 'en')", [english])
    await lane.pool.query('INSERT INTO notification_preferences (user_id, recommendation_enabled) VALUES ($1, false)', [
      optedOut,
    ])
    await lane.api.script({ do: 'recommend', products: [] }, nothing)
    const instance = await lane.startHere()
    const { status, body } = await lane.trigger(instance)
    expect([status, body.result]).toEqual([202, 'started'])
    expect(await lane.untilEnded(day)).toMatchObject({
      ...{ status: 'DONE', users: 25, sent: 23, nothing: 1, refused: { 'opted-out': 1 }, left_out: 0, expected: 25 },
    })

    await vi.waitFor(() => expect(lane.told()).toHaveLength(23), soon)
    const told = new Map(lane.told().map((notification) => [notification.userId, notification]))
    expect([...told.keys()].sort()).toEqual(active.filter((userId) => userId !== nothing && userId !== optedOut))
    const eventId = `dailyRecommendationBatch:${day}`
    const userId = lane.userId(0)
    const first = told.get(userId)
    expect(first).toEqual({
      notificationId: notificationIdOf({ eventId, userId, type: 'RECOMMENDATION' }),
      ...{ userId, eventId, productId: 'P-1', notificationType: 'RECOMMENDATION', priority: 'NORMAL' },
      ...{ title: '오늘의 추천 상품', body: '운동화, 모자, 가방을 추천드려요!', channels: ['PUSH', 'IN_APP'] },
      data: { strategy: 'popular', productIds: 'P-1,P-2,P-3' },
      timestamp: expect.any(Number),
      eventTimestamp: expect.any(Number),
      expiresAt: Number(first?.eventTimestamp) + 24 * 3_600_000,
    })
    expect(told.get(english)?.title).toBe("Today's picks for you")
    await vi.waitFor(() => expect(lane.outcomes()).toHaveLength(1), soon)
    expect(lane.outcomes()[0]).toMatchObject({ userId: optedOut, status: 'USER_OPTED_OUT', type: 'RECOMMENDATION' })
    // Nobody is asked about who may not be told.
    expect((await lane.api.users())[optedOut]).toBeUndefined()

    const metrics = await instance.metrics()
    expect(runsOf(metrics, 'done')).toBe(1)
    expect(metricOf(metrics, 'dropbell_recommendation_users_total', 'result="sent"')).toBe(23)
    expect(metricOf(metrics, 'dropbell_recommendation_last_success_timestamp_seconds')).toBeGreaterThan(1e9)
  })

  it('gives the slot of a user back for whom there is nothing', async () => {
    lane = await world.openLane({ DAILY_LIMIT_PER_USER: '1' })
    const [userId = ''] = await lane.addUsers(0, 1)
    await lane.api.script({ do: 'recommend', products: [], times: 1 }, userId)
    const instance = await lane.startHere()
    await lane.begin(instance)
    await lane.untilEnded(day)
    await lane.pool.query('DELETE FROM recommendation_runs')
    await lane.begin(instance)
    expect(await lane.untilEnded(day)).toMatchObject({ sent: 1, refused: {} })
  })

  it('is run again the same day without telling anybody twice', async () => {
    lane = await world.openLane()
    await lane.addUsers(0, 25)
    const instance = await lane.startHere()
    await lane.begin(instance)
    await lane.untilEnded(day)
    const again = await lane.trigger(instance)
    expect(again).toMatchObject({ status: 200, body: { result: 'nothing-to-do', run: { sent: 25 } } })
    // Even if nobody remembered the run, the gate and the ids of notifications do.
    await lane.pool.query('DELETE FROM recommendation_runs')
    await lane.begin(instance)
    await lane.untilEnded(day)
    await vi.waitFor(() => expect(lane.told().length).toBeGreaterThanOrEqual(25), soon)
    const ids = idsByUser(lane.told())
    expect(ids.size).toBe(25)
    expect([...ids.values()].every((set) => set.size === 1)).toBe(true)
  })

  it('goes on where it stopped when its instance is told to stop', async () => {
    lane = await world.openLane({ RECOMMENDATION_API_TIMEOUT_MS: '60000' })
    const users = await lane.addUsers(0, 60)
    await lane.answerOnly(users.slice(0, 20))
    const first = await lane.startHere()
    await lane.begin(first)
    await lane.untilUsers(20)
    await first.stop()
    expect(await lane.run(day)).toMatchObject({ status: 'PAUSED', reason: 'STOPPING', users: 20 })
    // Those of parts that were being prepared are given back: nobody knows when the run goes on.
    expect(await lane.slots()).toBe(20)
    await lane.answerAll()
    const second = await lane.startHere()
    await lane.begin(second)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', users: 60, sent: 60, fence: 2 })
    await vi.waitFor(() => expect(idsByUser(lane.told()).size).toBe(users.length), soon)
    expect([...idsByUser(lane.told()).values()].every((ids) => ids.size === 1)).toBe(true)
  })

  it('is taken up by the schedule of another instance when its own is told to stop', async () => {
    lane = await world.openLane({ RECOMMENDATION_API_TIMEOUT_MS: '60000', RECOMMENDATION_CATCH_UP_UNTIL: '12:00' })
    const users = await lane.addUsers(0, 60)
    await lane.answerOnly(users.slice(0, 20))
    const first = await lane.start()
    await lane.untilUsers(20)
    expect(await first.stop()).toBe(0)
    expect(await lane.run(day)).toMatchObject({ status: 'PAUSED', reason: 'STOPPING', users: 20 })
    await lane.answerAll()
    await lane.startHere()
    await vi.waitFor(async () => expect((await lane.run(day))?.fence).toBe(2), soon)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', users: 60, sent: 60, fence: 2 })
    await world.untilCollected()
    expect([...idsByUser(lane.told()).keys()].sort()).toEqual(users)
    expect([...idsByUser(lane.told()).values()].every((ids) => ids.size === 1)).toBe(true)
  })
})

describe('five instances', () => {
  /** They wait for nine o'clock; the run of the day before is done. */
  const startFive = async (users: number, env: Record<string, string> = {}) => {
    lane = await world.openLane({ RECOMMENDATION_CATCH_UP_UNTIL: '12:00', ...env })
    lane.setClock(nine - 3_600_000)
    await addDone(dayOf(nine - 86_400_000))
    await lane.addUsers(0, users)
    await lane.api.script({ do: 'recommend', latencyMs: 5 })
    const instances = await Promise.all(Array.from({ length: 5 }, () => lane.startHere()))
    expect(await lane.run(day)).toBeUndefined()
    lane.setClock(nine - 1_000)
    return instances
  }

  it('run one batch when the time comes, and tell each user once', async () => {
    const instances = await startFive(200)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', users: 200, sent: 200, fence: 1 })
    // All of them have looked again.
    await vi.waitFor(async () => {
      for (const instance of instances) {
        const lastSuccess = 'dropbell_recommendation_last_success_timestamp_seconds'
        expect(metricOf(await instance.metrics(), lastSuccess)).toBeGreaterThan(nine / 1_000)
      }
    }, soon)
    await world.untilCollected()
    const metrics = await Promise.all(instances.map((instance) => instance.metrics()))
    expect(metrics.reduce((sum, one) => sum + runsOf(one, 'done'), 0)).toBe(1)
    expect(lane.told()).toHaveLength(200)
    expect(idsByUser(lane.told()).size).toBe(200)
    expect(Object.values(await lane.api.users())).toEqual(Array(200).fill(1))
    expect(lane.told()[0]?.eventTimestamp).toBe(nine)
  })

  it('leave it at one batch for the least time of the lock, even if nobody remembered the run', async () => {
    await startFive(20, { RECOMMENDATION_LOCK_AT_LEAST_MS: '300000' })
    await lane.untilEnded(day)
    await lane.pool.query('DELETE FROM recommendation_runs WHERE day = $1', [day])
    // Whoever comes now finds no run, but the lock, and looks again.
    const late = await Promise.all([lane.startHere(), lane.startHere()])
    const found = (instance: Instance) =>
      instance
        .logLines()
        .filter(({ msg }) => msg === 'recommendation run not begun')
        .map(({ outcome }) => outcome)
    await vi.waitFor(() => {
      for (const instance of late) expect(found(instance).length).toBeGreaterThanOrEqual(3)
    }, soon)
    expect(new Set(late.flatMap(found))).toEqual(new Set(['locked']))
    expect(await lane.run(day)).toBeUndefined()
    expect(Object.values(await lane.api.users())).toEqual(Array(20).fill(1))
  })
})

describe('a missed run', () => {
  const startAt = async (time: number, { isFirstDay = false } = {}) => {
    lane = await world.openLane({ RECOMMENDATION_CATCH_UP_UNTIL: '12:00' })
    lane.setClock(time)
    if (!isFirstDay) await addDone(dayOf(nine - 86_400_000))
    await lane.addUsers(0, 5, 5 * 3_600_000)
    return lane.startHere()
  }

  it('is noticed at start, reported and made up for while it is early enough', async () => {
    const instance = await startAt(nine + 2 * 3_600_000)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', sent: 5, as_of: new Date(nine) })
    expect(instance.logLines()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'recommendation run is due, catching up' }),
    )
  })

  it('is reported and left to somebody’s hand when it is too late', async () => {
    const instance = await startAt(nine + 4 * 3_600_000)
    await vi.waitFor(async () => expect(runsOf(await instance.metrics(), 'missed')).toBe(1), soon)
    expect(await lane.run(day)).toBeUndefined()
    expect((await lane.trigger(instance)).status).toBe(202)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', sent: 5 })
  })

  it('is none on the day of the first deployment, when it is too late', async () => {
    const instance = await startAt(nine + 4 * 3_600_000, { isFirstDay: true })
    const said = expect.objectContaining({ msg: 'no recommendation run yet, the next one comes at its time' })
    await vi.waitFor(() => expect(instance.logLines()).toContainEqual(said), soon)
    expect(runsOf(await instance.metrics(), 'missed')).toBe(0)
    expect(instance.logLines().filter(({ level }) => level === 'error')).toEqual([])
    expect(await lane.run(day)).toBeUndefined()
  })

  it('for which the clocks are put forward comes once they have been', async () => {
    // Half past two does not come in Berlin on that night; two o'clock is three.
    const spring = Date.UTC(2027, 2, 28, 1)
    lane = await world.openLane({
      ...{ RECOMMENDATION_CRON: '0 30 2 * * *', RECOMMENDATION_ZONE: 'Europe/Berlin' },
      RECOMMENDATION_CATCH_UP_UNTIL: '12:00',
    })
    lane.setClock(spring - 1_000)
    await addDone('2027-03-27')
    await lane.addUsers(0, 5)
    const instance = await lane.startHere()
    lane.setClock(spring + 1_799_000)
    expect(await lane.untilEnded('2027-03-28')).toMatchObject({
      ...{ status: 'DONE', sent: 5, as_of: new Date(spring + 1_800_000) },
    })
    expect(runsOf(await instance.metrics(), 'done')).toBe(1)
  })
})

describe('a run for left-out users', () => {
  it('whose holder dies is taken up by itself too, though the day had its run', async () => {
    lane = await world.openLane({ RECOMMENDATION_CATCH_UP_UNTIL: '12:00', RECOMMENDATION_HEARTBEAT_TIMEOUT_MS: '2000' })
    await addDone(day)
    const instance = await lane.startHere()
    const lastSuccess = async () =>
      metricOf(await instance.metrics(), 'dropbell_recommendation_last_success_timestamp_seconds')
    await vi.waitFor(async () => expect(await lastSuccess()).toBeGreaterThan(0), soon)
    // Somebody has begun it again for one user, and was never heard of again.
    await lane.pool.query("INSERT INTO recommendation_left_out VALUES ($1, $2, 'timeout')", [day, lane.userId(0)])
    await lane.pool.query(
      "UPDATE recommendation_runs SET status = 'RUNNING', ended_at = NULL, left_out = 1, heartbeat_at = now() - interval '1 h'",
    )
    await vi.waitFor(async () => expect((await lane.run(day))?.fence).toBe(2), soon)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', left_out: 0, sent: 1, fence: 2 })
  })
})

describe('a service that is not enabled', () => {
  it('does nothing at all', async () => {
    lane = await world.openLane({ RECOMMENDATION_CATCH_UP_UNTIL: '23:59' })
    await lane.addUsers(0, 5)
    const nowhere = '127.0.0.1:1'
    const instance = await lane.startHere({
      ...{ RECOMMENDATION_ENABLED: 'false', RECOMMENDATION_API_URL: `http://${nowhere}` },
      ...{ REDIS_URL: `redis://${nowhere}`, DATABASE_URL: `postgres://dropbell@${nowhere}/dropbell` },
      ...{ KAFKA_BROKERS: nowhere, SCHEMA_REGISTRY_URL: `http://${nowhere}`, ELASTICSEARCH_URL: `http://${nowhere}` },
    })
    expect((await fetch(`${instance.url}/healthz`)).status).toBe(200)
    expect(await (await fetch(`${instance.url}/readyz`)).json()).toEqual({ status: 'ready', dependencies: {} })
    const headers = { authorization: 'Bearer for-tests-and-nothing-else' }
    expect((await fetch(`${instance.url}/runs`, { method: 'POST', headers })).status).toBe(404)
    expect(await instance.metrics()).not.toContain('dropbell_recommendation')
    expect(await lane.run(day)).toBeUndefined()
    expect((await lane.api.report()).requests).toBe(0)
    expect(instance.logLines().filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  })
})

describe('by hand', () => {
  it('needs the token', async () => {
    lane = await world.openLane()
    const instance = await lane.startHere()
    expect((await fetch(`${instance.url}/runs`, { method: 'POST' })).status).toBe(401)
    expect((await fetch(`${instance.url}/runs/${day}`)).status).toBe(401)
    const closed = await lane.startHere({ RECOMMENDATION_TRIGGER_TOKEN: '' })
    expect((await lane.trigger(closed)).status).toBe(404)
  })

  it('answers 409 with its progress while a run is under way, and does not let a live one be taken over', async () => {
    // Asked again after a silence, and again: nobody is left out, however long the test takes.
    lane = await world.openLane({ RECOMMENDATION_API_RETRIES: '10', RECOMMENDATION_API_BREAKER_FAILURES: '1000' })
    const users = await lane.addUsers(0, 40)
    await lane.answerOnly(users.slice(0, 10))
    const [one, other] = await Promise.all([lane.startHere(), lane.startHere()])
    await lane.begin(one)
    await vi.waitFor(async () => expect((await lane.report(other, day)).body.users).toBe(10), soon)
    for (const instance of [one, other]) {
      expect(await lane.trigger(instance)).toMatchObject({
        status: 409,
        body: { result: 'under-way', run: { status: 'RUNNING', expected: 40 } },
      })
    }
    expect(await lane.trigger(other, { takeOver: true })).toMatchObject({
      status: 409,
      body: { result: 'not-stale', retryAfterMs: expect.any(Number) },
    })
    await lane.answerAll()
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', fence: 1, sent: 40 })
  })

  it('takes nothing from an instance that is alive with the run of another day', async () => {
    lane = await world.openLane({ RECOMMENDATION_API_TIMEOUT_MS: '60000' })
    // Yesterday's recommendations have not expired yet.
    lane.setClock(nine - 1_800_000)
    await lane.addUsers(0, 10, 25 * 3_600_000)
    await lane.answerOnly([])
    const [one, other] = await Promise.all([lane.startHere(), lane.startHere()])
    const yesterday = dayOf(nine - 86_400_000)
    expect((await lane.trigger(one, { day: yesterday })).body.result).toBe('started')
    expect(await lane.trigger(other, { takeOver: true })).toMatchObject({
      status: 409,
      body: { result: 'not-stale', run: { day: yesterday, status: 'RUNNING' }, retryAfterMs: expect.any(Number) },
    })
    expect((await lane.trigger(other)).body.result).toBe('locked')
    expect(await lane.run(day)).toBeUndefined()
    await one.stop()
    expect(await lane.run(yesterday)).toMatchObject({ status: 'PAUSED', reason: 'STOPPING', fence: 1 })
  })

  it('refuses days that have not come, are over, or are none', async () => {
    lane = await world.openLane()
    const instance = await lane.startHere()
    expect((await lane.trigger(instance, { day: dayOf(nine + 86_400_000) })).status).toBe(422)
    expect((await lane.trigger(instance, { day: dayOf(nine - 2 * 86_400_000) })).status).toBe(422)
    expect((await lane.trigger(instance, { day: 'yesterday' })).status).toBe(400)
    expect((await lane.trigger(instance, { force: true })).status).toBe(400)
    expect((await lane.report(instance, 'yesterday')).status).toBe(400)
    expect((await lane.report(instance, '2020-01-01')).status).toBe(404)
  })
})

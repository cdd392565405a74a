import { randomBytes, randomUUID } from 'node:crypto'
import type { Behaviour } from '@dropbell/local-stack/fcm-simulator/control-client'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSenderWorld, type Lane, notificationFor, type SenderWorld } from './testing/sender-world.ts'

vi.setConfig({ testTimeout: 120_000 })

let world: SenderWorld
/** One service for all that does not need another. */
let lane: Lane
beforeAll(async () => {
  world = await createSenderWorld()
  lane = await world.openLane({ FCM_BREAKER_FAILURES: '1000' })
  await lane.startHere()
})
afterAll(() => world?.close())
const others: Lane[] = []
afterEach(() => Promise.all(others.splice(0).map((other) => other.stop())))

const openLane = async (env: Record<string, string> = {}): Promise<Lane> => {
  const other = await world.openLane(env)
  others.push(other)
  return other
}

type Refusal = Extract<Behaviour, { do: 'refuse' }>
const refuse = (code: Refusal['code']): Refusal => ({ do: 'refuse', code })

const inTime = { timeout: 30_000, interval: 50 }
const ones = (notifications: readonly NotificationEvent[]) => notifications.map(() => 1)

describe('a notification', () => {
  it('reaches the device of its user, as FCM wants it, and the app; its outcome says so', async () => {
    const [notification] = (await lane.prepare(1, { channels: ['PUSH', 'IN_APP'] })) as [NotificationEvent]
    await lane.publish([notification])
    const [outcome] = await lane.untilSettled([notification])
    expect(outcome).toMatchObject({
      ...{ status: 'SENT', reason: null, revision: 2, userId: notification.userId, eventId: 'event-1' },
      results: [
        { channel: 'IN_APP', target: 'inbox', attempt: 1, code: null },
        { channel: 'PUSH', target: `device-${notification.userId}`, attempt: 1, code: null },
      ],
    })
    await vi.waitFor(() => expect(lane.inAppOf(notification)).toBe(1), inTime)
    const [message] = await lane.fcm.messages(`token-${notification.userId}`)
    expect(message).toMatchObject({
      android: { notification: { title: notification.title, body: notification.body } },
      data: { notificationId: notification.notificationId, currentPrice: '79.9' },
    })
  })

  it('explains every device: one gets it, one turns out to be dead, one has not agreed', async () => {
    const userId = `user-${randomUUID()}`
    await lane.registerDevice(`${userId}-a`, userId)
    await lane.registerDevice(`${userId}-b`, userId)
    await lane.registerDevice(`${userId}-c`, userId, { consent: false })
    await lane.fcm.script({ do: 'refuse', code: 'UNREGISTERED' }, `token-${userId}-b`)
    const notification = notificationFor(userId)
    await lane.publish([notification])
    const [outcome] = await lane.untilSettled([notification])
    expect(outcome).toMatchObject({
      status: 'SENT',
      results: [
        { target: `${userId}-a`, attempt: 1, code: null },
        { target: `${userId}-b`, attempt: 1, code: 'UNREGISTERED' },
        { target: `${userId}-c`, attempt: 0, code: 'NO_CONSENT' },
      ],
    })
    const { rows } = await lane.pool.query(
      'SELECT status, invalid_reason FROM devices WHERE user_id = $1 ORDER BY device_id',
      [userId],
    )
    expect(rows).toEqual([
      { status: 'ACTIVE', invalid_reason: null },
      { status: 'INVALID', invalid_reason: 'UNREGISTERED' },
      { status: 'ACTIVE', invalid_reason: null },
    ])
    const { tokens } = await lane.fcm.report()
    expect(tokens[`token-${userId}-c`]).toBeUndefined()

    // A replay tells neither the others again nor a device that was registered meanwhile.
    await lane.registerDevice(`${userId}-d`, userId)
    const mark = await lane.prepare(1)
    await lane.publish([notification, ...mark], 0)
    await lane.untilSettled(mark)
    expect(await lane.rowsOf([notification])).toHaveLength(3)
    expect(await lane.fcm.countsOf(`token-${userId}-a`)).toEqual({ requests: 1, accepted: 1 })
    expect(await lane.fcm.countsOf(`token-${userId}-d`)).toEqual({ requests: 0, accepted: 0 })
  })

  it('is not sent to whoever does not want it, has nowhere to get it, or gets it too late', async () => {
    const [optedOut, noPush, expired] = (await lane.prepare(3)) as [
      NotificationEvent,
      NotificationEvent,
      NotificationEvent,
    ]
    await lane.pool.query('INSERT INTO notification_preferences (user_id, price_drop_enabled) VALUES ($1, false)', [
      optedOut.userId,
    ])
    await lane.pool.query("INSERT INTO notification_preferences (user_id, channels) VALUES ($1, '{EMAIL}')", [
      noPush.userId,
    ])
    const late = { ...expired, expiresAt: Date.now() - 1 }
    const nowhere = notificationFor(`user-${randomUUID()}`)
    const elsewhere = notificationFor(`user-${randomUUID()}`, { channels: [] })
    const all = [optedOut, noPush, late, nowhere, elsewhere]
    await lane.publish(all)
    expect((await lane.untilSettled(all)).map(({ status, reason }) => [status, reason])).toEqual([
      ['USER_OPTED_OUT', 'OPTED_OUT'],
      ['USER_OPTED_OUT', 'CHANNEL_OPTED_OUT'],
      ['EXPIRED', 'EXPIRED'],
      ['FAILED', 'NO_DEVICE'],
      ['FAILED', 'NO_CHANNEL'],
    ])
    expect(await lane.receivedBy(all)).toEqual([0, 0, 0, 0, 0])
  })

  it('that is transactional asks for no preferences, and is in the inbox without a device too', async () => {
    const [notification] = (await lane.prepare(1, { notificationType: 'TRANSACTIONAL' })) as [NotificationEvent]
    await lane.pool.query("INSERT INTO notification_preferences (user_id, channels) VALUES ($1, '{}')", [
      notification.userId,
    ])
    const nowhere = notificationFor(`user-${randomUUID()}`, { notificationType: 'TRANSACTIONAL' })
    await lane.publish([notification, nowhere])
    const outcomes = await lane.untilSettled([notification, nowhere])
    expect(outcomes.map(({ status, reason }) => [status, reason])).toEqual([
      ['SENT', null],
      ['SENT', null],
    ])
    await vi.waitFor(() => expect(lane.inAppOf(nowhere)).toBe(1), inTime)
    const { rows } = await lane.pool.query('SELECT title, read_at FROM notifications WHERE user_id = $1', [
      nowhere.userId,
    ])
    expect(rows).toEqual([{ title: nowhere.title, read_at: null }])
  })

  it('of a first version, without an expiry, is good for as long as its type', async () => {
    const [notification] = (await lane.prepare(1, { expiresAt: null, eventId: null, eventTimestamp: null })) as [
      NotificationEvent,
    ]
    await lane.publish([notification])
    await lane.untilSettled([notification])
    const [row] = await lane.rowsOf([notification])
    expect(row?.expires_at.getTime()).toBe(notification.timestamp + 24 * 3_600_000)
  })
})

describe('what FCM answers', () => {
  interface Case {
    behaviour: Behaviour
    row: object
    device: 'ACTIVE' | 'INVALID'
    /** How often it is tried: once, or as often as there are quick retries. */
    attempts: number
  }
  const once = (code: string) => ({ status: 'FAIL', code, retryable: false })
  const spent = (code: string) => ({ status: 'FAIL', code, retryable: true, next_retry_at: null })
  const cases: Case[] = [
    { behaviour: refuse('UNREGISTERED'), row: once('UNREGISTERED'), device: 'INVALID', attempts: 1 },
    { behaviour: refuse('SENDER_ID_MISMATCH'), row: once('SENDER_ID_MISMATCH'), device: 'ACTIVE', attempts: 1 },
    { behaviour: refuse('THIRD_PARTY_AUTH_ERROR'), row: once('THIRD_PARTY_AUTH_ERROR'), device: 'ACTIVE', attempts: 1 },
    {
      behaviour: { ...refuse('INVALID_ARGUMENT'), field: 'message.token' },
      row: once('INVALID_ARGUMENT'),
      device: 'INVALID',
      attempts: 1,
    },
    {
      behaviour: { ...refuse('INVALID_ARGUMENT'), field: 'message.data' },
      row: once('INVALID_ARGUMENT'),
      device: 'ACTIVE',
      attempts: 1,
    },
    { behaviour: refuse('INTERNAL'), row: spent('INTERNAL'), device: 'ACTIVE', attempts: 4 },
    { behaviour: refuse('UNAVAILABLE'), row: spent('UNAVAILABLE'), device: 'ACTIVE', attempts: 4 },
    { behaviour: { do: 'drop', accepted: true }, row: once('UNKNOWN_OUTCOME'), device: 'ACTIVE', attempts: 1 },
    { behaviour: { do: 'silence', accepted: true }, row: once('UNKNOWN_OUTCOME'), device: 'ACTIVE', attempts: 1 },
  ]

  const titleOf = (behaviour: Behaviour): string =>
    behaviour.do === 'refuse' ? `${behaviour.code} ${behaviour.field ?? ''}`.trim() : `${behaviour.do} after accepting`

  it.each(cases.map((one) => [titleOf(one.behaviour), one] as const))(
    '%s decides over row, device and retries',
    async (_, one) => {
      const [notification] = (await lane.prepare(1)) as [NotificationEvent]
      const { userId } = notification
      await lane.fcm.script(one.behaviour, `token-${userId}`)
      await lane.publish([notification])
      await vi.waitFor(async () => {
        expect(await lane.rowsOf([notification])).toMatchObject([{ ...one.row, attempt: one.attempts }])
      }, inTime)
      const { rows } = await lane.pool.query('SELECT status FROM devices WHERE user_id = $1', [userId])
      expect(rows).toEqual([{ status: one.device }])
      await vi.waitFor(() => expect(lane.outcomesOf(notification)).toHaveLength(one.attempts), inTime)
    },
  )

  it('a payload that is too large is refused for good, and the device lives', async () => {
    const [notification] = (await lane.prepare(1, { body: 'x'.repeat(5_000) })) as [NotificationEvent]
    await lane.publish([notification])
    const [outcome] = await lane.untilSettled([notification])
    expect(outcome).toMatchObject({ status: 'FAILED', reason: 'PAYLOAD_TOO_LARGE' })
  })

  it('a passing fault is overcome by the quick retries, and the newest outcome says so', async () => {
    const [notification] = (await lane.prepare(1)) as [NotificationEvent]
    await lane.fcm.script({ ...refuse('UNAVAILABLE'), times: 2 }, `token-${notification.userId}`)
    await lane.publish([notification])
    const [outcome] = await lane.untilSettled([notification])
    expect(outcome).toMatchObject({ status: 'SENT', revision: 3, results: [{ attempt: 3, code: null }] })
    expect(lane.outcomesOf(notification).map(({ status }) => status)).toEqual(['DEFERRED', 'DEFERRED', 'SENT'])
  })

  it('connections that break after accepting tell nobody twice', async () => {
    const notifications = await lane.prepare(60)
    for (const { userId } of notifications.slice(0, 6)) {
      await lane.fcm.script({ do: 'drop', accepted: true, times: 1 }, `token-${userId}`)
    }
    await lane.publish(notifications)
    await lane.untilSettled(notifications)
    expect(Math.max(...(await lane.receivedBy(notifications)))).toBe(1)
    const { tokens } = await lane.fcm.report()
    for (const { userId } of notifications) expect(tokens[`token-${userId}`]?.requests ?? 0).toBeLessThanOrEqual(1)
  })

  it('nothing at all holds a partition no longer than the deadline', async () => {
    const [silent, ...next] = (await lane.prepare(4)) as [NotificationEvent, ...NotificationEvent[]]
    await lane.fcm.script({ do: 'silence', accepted: false }, `token-${silent.userId}`)
    const startedAt = Date.now()
    await lane.publish([silent], 3)
    await lane.publish(next, 3)
    const outcomes = await lane.untilSettled([silent, ...next])
    expect(outcomes.map(({ reason }) => reason)).toEqual(['UNKNOWN_OUTCOME', null, null, null])
    expect(Date.now() - startedAt).toBeLessThan(10_000)
  })

  it('a 429 pauses every instance, and everything arrives when it is over', async () => {
    const paused = await openLane({ FCM_QUOTA_PAUSE_MS: '8000' })
    await Promise.all([paused.startHere(), paused.startHere()])
    const [first, ...rest] = (await paused.prepare(31)) as [NotificationEvent, ...NotificationEvent[]]
    await paused.fcm.script({ do: 'refuse', code: 'QUOTA_EXCEEDED', retryAfter: '1', times: 1 })
    const publishedAt = Date.now()
    await paused.publish([first])
    await vi.waitFor(async () => expect((await paused.fcm.report()).answers['429']).toBe(1), inTime)
    await paused.publish(rest)
    // All of them are in the ledger, and none has left.
    await vi.waitFor(async () => expect(await paused.rowsOf(rest)).toHaveLength(30), inTime)
    expect((await paused.fcm.report()).requests).toBe(1)
    await paused.untilSettled([first, ...rest])
    expect(Date.now() - publishedAt).toBeGreaterThanOrEqual(8_000)
    expect(await paused.receivedBy([first, ...rest])).toEqual(ones([first, ...rest]))
  })
})

describe('the recovery sweep', () => {
  const atSeoul = (hour: number) => {
    // Asia/Seoul is nine hours ahead of UTC, all year.
    const noon = Date.UTC(2026, 0, 15, hour - 9)
    const offset = noon - Date.now()
    return { now: () => Date.now() + offset, wait: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) }
  }
  const everySecond = { RECOVERY_SWEEP_CRON: '* * 9-21 * * *', DELIVERY_RETRY_DELAYS_MS: '10' }

  it('sends what the quick retries could not, by day; at 23:00 it does nothing', async () => {
    const swept = await openLane(everySecond)
    const [notification] = (await swept.prepare(1, { expiresAt: Date.UTC(2026, 0, 20) })) as [NotificationEvent]
    await swept.fcm.script({ ...refuse('UNAVAILABLE'), times: 2 }, `token-${notification.userId}`)
    const night = await swept.startHere({}, { clock: atSeoul(23) })
    await swept.publish([notification])
    const isSpent = () =>
      vi.waitFor(async () => {
        expect(await swept.rowsOf([notification])).toMatchObject([
          { status: 'FAIL', attempt: 2, retryable: true, next_retry_at: null },
        ])
      }, inTime)
    await isSpent()
    const polls = async () =>
      Number(
        /dropbell_delivery_polls_total\{poller="keeper",outcome="ok"[^}]*\} (\d+)/.exec(await night.metrics())?.[1],
      )
    const before = await polls()
    await vi.waitFor(async () => expect(await polls()).toBeGreaterThan(before + 12), inTime)
    await isSpent()
    await night.stop()

    const nextNoon = 24 + 12
    await swept.startHere({}, { clock: atSeoul(nextNoon) })
    const [outcome] = await swept.untilSettled([notification])
    expect(outcome).toMatchObject({ status: 'SENT', results: [{ attempt: 3 }] })
  })
})

describe('a batch that fails', () => {
  it('is retried three times, then dead-lettered with an outcome; its replay is delivered', async () => {
    const broken = await openLane({ DLQ_RETRY_BACKOFF_MS: '100' })
    await broken.collectDeadLetters()
    await broken.startHere()
    const notifications = await broken.prepare(5)
    await broken.pool.query('ALTER TABLE deliveries RENAME TO deliveries_elsewhere')
    await broken.publish(notifications, 0)
    await vi.waitFor(() => expect(broken.deadLetters()).toHaveLength(5), inTime)
    expect(broken.deadLetters().map(({ headers }) => String(headers?.['dropbell-attempts']))).toEqual(
      Array(5).fill('4'),
    )
    await vi.waitFor(() => {
      const outcomes = notifications.flatMap(broken.outcomesOf)
      expect(outcomes).toHaveLength(5)
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'FAILED', reason: 'DEAD_LETTERED', revision: 0 })
      }
    }, inTime)
    await broken.pool.query('ALTER TABLE deliveries_elsewhere RENAME TO deliveries')
    await broken.replayDeadLetters()
    const outcomes = await broken.untilSettled(notifications)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('SENT'))
    expect(await broken.receivedBy(notifications)).toEqual(ones(notifications))
  })
})

describe('a notification that cannot be stored', () => {
  it('is dead-lettered at once, and its neighbours are delivered', async () => {
    const other = await openLane()
    await other.collectDeadLetters()
    await other.startHere()
    const [first, bad, ...rest] = (await other.prepare(4)) as [NotificationEvent, NotificationEvent, NotificationEvent]
    const unstorable = { ...bad, title: 'a\0b' }
    const good = [first, ...rest]
    await other.publish([first, unstorable, ...rest], 0)
    await other.untilSettled(good)
    await vi.waitFor(() => expect(other.deadLetters().map(({ key }) => String(key))).toEqual([bad.userId]), inTime)
    expect(await other.receivedBy([first, bad, ...rest])).toEqual([1, 0, 1, 1])
  })
})

describe('an outcome that cannot be published', () => {
  it('holds up none of those that were left behind with it, and after it', async () => {
    const left = await openLane()
    await left.startHere()
    const [monster, neighbour, later] = ['m', 'n', 'l'].map((userId) => notificationFor(userId)) as [
      NotificationEvent,
      NotificationEvent,
      NotificationEvent,
    ]
    for (const { notificationId, userId } of [monster, neighbour, later]) {
      await left.pool.query(
        `INSERT INTO notifications (notification_id, user_id, notification_type, product_id, title, refusal)
         VALUES ($1, $2, 'PRICE_DROP', 'p', $3, 'EXPIRED')`,
        [notificationId, userId, userId === 'm' ? randomBytes(2_000_000).toString('base64') : 'fits'],
      )
    }
    for (const ids of [[monster, neighbour], [later]]) {
      await left.pool.query(
        "INSERT INTO unpublished_outcomes (notification_ids, noted_at) VALUES ($1, now() - interval '1 minute')",
        [ids.map(({ notificationId }) => notificationId)],
      )
    }
    await vi.waitFor(async () => {
      expect((await left.pool.query('SELECT FROM unpublished_outcomes')).rowCount).toBe(0)
      expect([neighbour, later].map((one) => left.outcomesOf(one)[0]?.status)).toEqual(['EXPIRED', 'EXPIRED'])
    }, inTime)
    expect(left.outcomesOf(monster)).toEqual([])
  })
})

describe('several instances', () => {
  it('share the work, and tell nobody twice when records come again', async () => {
    const shared = await openLane()
    await Promise.all([shared.startHere(), shared.startHere()])
    const notifications = await shared.prepare(300)
    await Promise.all([shared.publish(notifications), shared.publish(notifications)])
    await shared.untilSettled(notifications)
    expect(await shared.receivedBy(notifications)).toEqual(ones(notifications))
  })
})

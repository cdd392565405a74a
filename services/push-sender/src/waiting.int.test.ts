import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { type OpenGate, openGate } from '@dropbell/notification-producer/testing/open-gate'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { Client } from '@elastic/elasticsearch'
import { Temporal } from 'temporal-polyfill'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createSenderWorld,
  type HereInstance,
  type Lane,
  notificationFor,
  type SenderWorld,
} from './testing/sender-world.ts'

vi.setConfig({ testTimeout: 120_000 })

const inTime = { timeout: 40_000, interval: 50 }
const hourMs = 3_600_000
const index = `products-${randomUUID()}`
const elasticsearch = new Client({ node: testEnv().ELASTICSEARCH_URL })

let world: SenderWorld
let gate: OpenGate
beforeAll(async () => {
  world = await createSenderWorld()
  gate = openGate({ ...testEnv() }, 'dropbell')
  await elasticsearch.indices.create({ index })
})
afterAll(async () => {
  await world?.close()
  await gate?.close()
  await elasticsearch.indices.delete({ index })
  await elasticsearch.close()
})

const lanes: Lane[] = []
afterEach(() => Promise.all(lanes.splice(0).map((lane) => lane.stop())))

/** A service whose clock stands still until it is moved. */
const openNight = async (start: string) => {
  const lane = await world.openLane({ QUIET_HOURS_SPREAD_MS: '0', PRODUCT_INDEX: index })
  lanes.push(lane)
  let now = instantOf(start)
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const instance = await lane.startHere({}, { clock: { now: () => now, wait } })
  return {
    lane,
    instance,
    now: () => now,
    moveTo: (time: string): void => {
      now = instantOf(time)
    },
  }
}

type Night = Awaited<ReturnType<typeof openNight>>

const instantOf = (time: string): number => Temporal.ZonedDateTime.from(time).epochMilliseconds

const sleeper = async (lane: Lane, timezone = 'Asia/Seoul'): Promise<string> => {
  const userId = `sleeper-${randomUUID()}`
  await lane.registerDevice(`device-${userId}`, userId, { token: `token-${userId}` })
  await lane.pool.query('INSERT INTO user_info (user_id, timezone) VALUES ($1, $2)', [userId, timezone])
  await lane.pool.query(
    "INSERT INTO notification_preferences (user_id, quiet_hours_start, quiet_hours_end) VALUES ($1, '22:00', '08:00')",
    [userId],
  )
  return userId
}

/** A price drop to 79.9 that is admitted right now. */
const drop = (night: Night, userId: string, said: Partial<NotificationEvent> = {}): NotificationEvent => {
  const at = night.now()
  const times = { timestamp: at, eventTimestamp: at, expiresAt: at + 24 * hourMs }
  return notificationFor(userId, { channels: ['PUSH', 'IN_APP'], productId: `P-${randomUUID()}`, ...times, ...said })
}

/** As the inventory consumer has it after the drop. */
const asTold = ({ lane }: Night, { productId, eventTimestamp }: NotificationEvent) =>
  lane.recordState(productId, { currentPrice: 79.9, currentStock: 5, timestamp: eventTimestamp ?? 0 })

const newest = ({ lane }: Night, notification: NotificationEvent): NotificationOutcome | undefined =>
  lane.outcomesOf(notification).sort((a, b) => b.revision - a.revision)[0]

const untilOutcome = (night: Night, notification: NotificationEvent, outcome: Partial<NotificationOutcome>) =>
  vi.waitFor(() => expect(newest(night, notification)).toMatchObject(outcome), inTime)

const asleep = { status: 'DEFERRED', reason: 'QUIET_HOURS' } as const

/** The poller of pushes has had its turn since. */
const afterSomePolls = async (instance: HereInstance): Promise<void> => {
  const polls = async () =>
    Number(/dropbell_delivery_polls_total\{poller="PUSH",outcome="ok"[^}]*\} (\d+)/.exec(await instance.metrics())?.[1])
  const before = await polls()
  await vi.waitFor(async () => expect(await polls()).toBeGreaterThan(before + 2), inTime)
}

const evening = '2026-11-18T22:30[Asia/Seoul]'
const morning = '2026-11-19T08:00[Asia/Seoul]'

describe('a price drop at 22:30 for somebody with quiet hours from 22:00 to 08:00', () => {
  it('is in the app at once, and rings after 08:00, once', async () => {
    const night = await openNight(evening)
    const { lane } = night
    const notification = drop(night, await sleeper(lane))
    await asTold(night, notification)
    await lane.publish([notification])
    await untilOutcome(night, notification, { ...asleep, revision: 2 })
    expect(newest(night, notification)?.results).toMatchObject([{ channel: 'IN_APP', code: null }])
    await vi.waitFor(() => expect(lane.inAppOf(notification)).toBe(1), inTime)
    night.moveTo('2026-11-19T07:59:59[Asia/Seoul]')
    await afterSomePolls(night.instance)
    expect(await lane.receivedBy([notification])).toEqual([0])
    night.moveTo(morning)
    await untilOutcome(night, notification, { status: 'SENT', reason: null })
    expect(await lane.receivedBy([notification])).toEqual([1])
    expect(lane.inAppOf(notification)).toBe(1)
    // Told at eight: another drop of the same product is too much for the next hour.
    const { userId, productId: subject } = notification
    const another = { userId, subject, type: 'PRICE_DROP' as const, eventId: 'another', date: '2026-11-19' }
    expect(await gate.gate.admit([another])).toEqual([{ kind: 'duplicate', blockingEventId: 'event-1' }])
  })

  it('does not ring at all if the price rose at 23:00, and the reason is on record', async () => {
    const night = await openNight(evening)
    const notification = drop(night, await sleeper(night.lane))
    await asTold(night, notification)
    await night.lane.publish([notification])
    await untilOutcome(night, notification, asleep)
    const at = instantOf('2026-11-18T23:00[Asia/Seoul]')
    await night.lane.recordState(notification.productId, { currentPrice: 99.9, timestamp: at })
    night.moveTo(morning)
    await untilOutcome(night, notification, { status: 'STALE', reason: 'PRICE_ROSE' })
    expect(await night.lane.receivedBy([notification])).toEqual([0])
  })

  it('rings only for the newest of several drops of one product', async () => {
    const night = await openNight(evening)
    const userId = await sleeper(night.lane)
    const first = drop(night, userId)
    await asTold(night, first)
    await night.lane.publish([first])
    night.moveTo('2026-11-19T01:00[Asia/Seoul]')
    const second = drop(night, userId, { productId: first.productId, data: { currentPrice: '69.9' } })
    await night.lane.recordState(first.productId, { currentPrice: 69.9, timestamp: night.now() })
    await night.lane.publish([second])
    await untilOutcome(night, first, asleep)
    await untilOutcome(night, second, asleep)
    night.moveTo(morning)
    await untilOutcome(night, first, { status: 'SUPERSEDED', reason: 'SUPERSEDED' })
    await untilOutcome(night, second, { status: 'SENT' })
    const messages = await night.lane.fcm.messages(`token-${userId}`)
    expect(messages.map(({ data }) => data?.notificationId)).toEqual([second.notificationId])
  })

  it('does not ring if its user has had enough of such notices by then, or the product is sold out', async () => {
    const night = await openNight(evening)
    const [unwanted, soldOut] = [drop(night, await sleeper(night.lane)), drop(night, await sleeper(night.lane))]
    for (const one of [unwanted, soldOut]) await asTold(night, one)
    await night.lane.publish([unwanted, soldOut])
    for (const one of [unwanted, soldOut]) await untilOutcome(night, one, asleep)
    await night.lane.pool.query('UPDATE notification_preferences SET price_drop_enabled = false WHERE user_id = $1', [
      unwanted.userId,
    ])
    await night.lane.recordState(soldOut.productId, { currentStock: 0, timestamp: night.now() + hourMs })
    night.moveTo(morning)
    await untilOutcome(night, unwanted, { status: 'USER_OPTED_OUT', reason: 'OPTED_OUT' })
    await untilOutcome(night, soldOut, { status: 'STALE', reason: 'SOLD_OUT' })
    expect(await night.lane.receivedBy([unwanted, soldOut])).toEqual([0, 0])
  })

  it('rings at once if it is transactional', async () => {
    const night = await openNight(evening)
    const notification = drop(night, await sleeper(night.lane), { notificationType: 'TRANSACTIONAL' })
    await night.lane.publish([notification])
    await untilOutcome(night, notification, { status: 'SENT', revision: 2 })
    expect(await night.lane.receivedBy([notification])).toEqual([1])
  })
})

describe('what came while a notification waited', () => {
  it('goes without it if its user was told of the product by another event', async () => {
    const night = await openNight(evening)
    const notification = drop(night, await sleeper(night.lane))
    await asTold(night, notification)
    await night.lane.publish([notification])
    await untilOutcome(night, notification, asleep)
    const { userId, productId: subject } = notification
    await gate.gate.admit([{ userId, subject, type: 'PRICE_DROP', eventId: 'another', date: '2026-11-19' }])
    night.moveTo(morning)
    await untilOutcome(night, notification, { status: 'RATE_LIMITED', reason: 'DUPLICATE' })
    expect(await night.lane.receivedBy([notification])).toEqual([0])
  })

  it('includes a journey: what was counted in New York takes a slot of the day in Seoul', async () => {
    const night = await openNight('2026-03-07T22:30[America/New_York]') // 12:30 of the 8th in Seoul
    const notification = drop(night, await sleeper(night.lane, 'America/New_York'))
    await asTold(night, notification)
    await night.lane.publish([notification])
    await untilOutcome(night, notification, asleep)
    const { userId } = notification
    await night.lane.pool.query("UPDATE user_info SET timezone = 'Asia/Seoul' WHERE user_id = $1", [userId])
    const ofThatDay = Array.from({ length: 10 }, (_, n) => ({
      ...{ userId, subject: `new-${n}`, eventId: `new-${n}`, type: 'PRICE_DROP' as const, date: '2026-03-08' },
    }))
    expect((await gate.gate.admit(ofThatDay)).map(({ kind }) => kind)).toEqual(Array(10).fill('admitted'))
    night.moveTo('2026-03-08T08:00[America/New_York]') // 21:00 in Seoul
    await untilOutcome(night, notification, { status: 'RATE_LIMITED', reason: 'DAILY_LIMIT' })
    expect(await night.lane.receivedBy([notification])).toEqual([0])
  })
})

describe('a push that is tried again', () => {
  it('is not sent if the price rose since, although it was never in quiet hours', async () => {
    const night = await openNight('2026-11-18T12:00[Asia/Seoul]')
    const [prepared] = await night.lane.prepare(1)
    const notification = drop(night, prepared?.userId ?? '')
    await asTold(night, notification)
    // A first attempt trusts its producer, which has just looked: only the second one finds this out.
    await night.lane.recordState(notification.productId, { currentPrice: 99.9, timestamp: night.now() + 1 })
    await night.lane.fcm.script({ do: 'refuse', code: 'UNAVAILABLE', times: 1 }, `token-${notification.userId}`)
    await night.lane.publish([notification])
    await untilOutcome(night, notification, { status: 'STALE', reason: 'PRICE_ROSE' })
    expect(newest(night, notification)?.results).toContainEqual(
      expect.objectContaining({ channel: 'PUSH', attempt: 1, code: 'PRICE_ROSE' }),
    )
    expect(await night.lane.receivedBy([notification])).toEqual([0])
  })

  it('in vain, is published as expired when its time is over', async () => {
    const night = await openNight('2026-11-18T12:00[Asia/Seoul]')
    const [prepared] = await night.lane.prepare(1)
    const notification = drop(night, prepared?.userId ?? '', { channels: ['PUSH'] })
    await asTold(night, notification)
    await night.lane.fcm.script({ do: 'refuse', code: 'UNAVAILABLE' }, `token-${notification.userId}`)
    await night.lane.publish([notification])
    await vi.waitFor(async () => {
      expect(await night.lane.rowsOf([notification])).toMatchObject([
        { attempt: 4, retryable: true, next_retry_at: null },
      ])
    }, inTime)
    night.moveTo('2026-11-19T12:00[Asia/Seoul]')
    await untilOutcome(night, notification, { status: 'EXPIRED', reason: 'EXPIRED' })
  })
})

describe('ten that waited and ten of the new day', () => {
  it.each([
    ['Asia/Seoul', '2026-11-18', '2026-11-19'],
    ['America/New_York', '2026-03-07', '2026-03-08'],
    ['America/New_York', '2026-10-31', '2026-11-01'],
  ])('make ten in %s after the night of %s', async (timezone, before, date) => {
    const night = await openNight(`${before}T22:30[${timezone}]`)
    const userId = await sleeper(night.lane, timezone)
    const waiting = Array.from({ length: 10 }, () => drop(night, userId))
    for (const notification of waiting) await asTold(night, notification)
    await night.lane.publish(waiting)
    for (const notification of waiting) await untilOutcome(night, notification, asleep)
    const admit = (from: number, count: number) =>
      gate.gate.admit(
        Array.from({ length: count }, (_, n) => ({
          ...{ userId, subject: `new-${from + n}`, eventId: `new-${from + n}`, type: 'PRICE_DROP' as const, date },
        })),
      )
    const early = await admit(0, 4)
    night.moveTo(`${date}T08:00[${timezone}]`)
    await vi.waitFor(() => {
      expect(waiting.map((one) => newest(night, one)?.status).filter((status) => status === 'DEFERRED')).toEqual([])
    }, inTime)
    const late = await admit(4, 6)
    const admitted = [...early, ...late].filter(({ kind }) => kind === 'admitted')
    const endings = waiting.map((one) => newest(night, one))
    const sent = endings.filter((outcome) => outcome?.status === 'SENT')
    expect([admitted.length, sent.length]).toEqual([4, 6])
    expect(endings.filter((outcome) => outcome?.reason === 'DAILY_LIMIT')).toHaveLength(4)
    expect(await night.lane.fcm.messages(`token-${userId}`)).toHaveLength(6)
  })
})

describe('an offer of which no event has told', () => {
  it.each([
    ['sent', 79.9, { status: 'SENT', reason: null }],
    ['withheld', 80, { status: 'STALE', reason: 'PRICE_ROSE' }],
  ] as const)('is %s as the product index says', async (_, price, outcome) => {
    const night = await openNight(evening)
    const notification = drop(night, await sleeper(night.lane))
    await elasticsearch.index({ index, id: notification.productId, document: { price }, refresh: true })
    await night.lane.publish([notification])
    await untilOutcome(night, notification, asleep)
    night.moveTo(morning)
    await untilOutcome(night, notification, outcome)
  })

  it('waits until it expires if the index does not know it either', async () => {
    const night = await openNight(evening)
    const notification = drop(night, await sleeper(night.lane))
    await night.lane.publish([notification])
    await untilOutcome(night, notification, asleep)
    night.moveTo(morning)
    await untilOutcome(night, notification, { status: 'DEFERRED', reason: 'OFFER_UNKNOWN' })
    night.moveTo('2026-11-19T22:29[Asia/Seoul]')
    await afterSomePolls(night.instance)
    await untilOutcome(night, notification, { status: 'DEFERRED' })
    night.moveTo('2026-11-19T22:30[Asia/Seoul]')
    await untilOutcome(night, notification, { status: 'EXPIRED', reason: 'EXPIRED' })
    expect(await night.lane.receivedBy([notification])).toEqual([0])
  })
})

describe('a record that is read late', () => {
  it('is judged like anything else that waited', async () => {
    const night = await openNight('2026-11-18T12:00[Asia/Seoul]')
    const [stale, good] = await night.lane.prepare(2)
    const eventTimestamp = night.now() - 61_000
    const old = [stale, good].map((one) => drop(night, one?.userId ?? '', { eventTimestamp })) as [
      NotificationEvent,
      NotificationEvent,
    ]
    for (const one of old) await asTold(night, one)
    await night.lane.recordState(old[0].productId, { currentPrice: 80, timestamp: night.now() - 1_000 })
    await night.lane.publish(old, 0)
    await untilOutcome(night, old[0], { status: 'STALE', reason: 'PRICE_ROSE' })
    await untilOutcome(night, old[1], { status: 'SENT' })
    expect(await night.lane.receivedBy(old)).toEqual([0, 1])
    expect(old.map(night.lane.inAppOf)).toEqual([0, 1])
  })
})

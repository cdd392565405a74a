import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import type { GateAnswer } from '@dropbell/notification-producer/gate'
import { createLocalDateAt } from '@dropbell/notification-producer/local-date'
import type { ProductState } from '@dropbell/offers/product-state'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { describe, expect, it, vi } from 'vitest'
import type { HeldDelivery } from './held-delivery.ts'
import { createJudge, type JudgeDeps } from './judge-deliveries.ts'
import { sampleNotification } from './testing/sample-outgoing.ts'

/** Noon in Seoul, and what the sample promises. */
const eventAt = sampleNotification.timestamp
const good: ProductState = { price: { value: 69.9, at: eventAt }, stock: { value: 3, at: eventAt } }
const minuteMs = 60_000
const hourMs = 60 * minuteMs

const held = (
  said: Partial<NotificationEvent> = {},
  {
    waited = true,
    channel = 'PUSH' as const,
    recipient = defaultRecipient,
    plannedIn = null,
  }: Partial<HeldDelivery & HeldDelivery['key']> = {},
): HeldDelivery => {
  const notification = { ...sampleNotification, ...said }
  return {
    key: { notificationId: notification.notificationId, channel, targetId: 'phone' },
    notification: { ...notification, expiresAt: notification.expiresAt ?? eventAt + 24 * hourMs },
    target: { id: 'phone', address: 't' },
    recipient,
    plannedIn,
    waited,
  }
}

interface Setting {
  superseded?: string[]
  state?: ProductState
  slot?: GateAnswer
  fail?: { states?: Error; slots?: Error }
}

const open = ({ superseded = [], state = good, slot = { kind: 'held' }, fail = {} }: Setting = {}) => {
  const deps = {
    findSuperseded: vi.fn(async () => new Set(superseded)),
    readKnownStates: vi.fn(async (offers: readonly { productId: string }[]) => {
      if (fail.states) throw fail.states
      return new Map(offers.map(({ productId }) => [productId, state]))
    }),
    resend: vi.fn(async (requests: readonly unknown[]) => {
      if (fail.slots) throw fail.slots
      return requests.map(() => slot)
    }),
    localDateAt: createLocalDateAt({ onUnknownZone: () => {} }),
    config: { OFFER_RECHECK_MS: minuteMs, QUIET_HOURS_SPREAD_MS: 0 },
    log: captureLog().log,
  } satisfies JudgeDeps
  return { ...deps, judge: createJudge(deps) }
}

const judgeOne = async (delivery: HeldDelivery, now: number, setting: Setting = {}) =>
  (await open(setting).judge([delivery], now))[0]

describe('a delivery that waited', () => {
  it('is sent while the offer is as good as it was', async () => {
    expect(await judgeOne(held(), eventAt + hourMs)).toEqual({ kind: 'send' })
  })

  it.each([
    ['PRICE_ROSE', { ...good, price: { value: 70, at: 0 } }],
    ['SOLD_OUT', { ...good, stock: { value: 0, at: 0 } }],
  ])('is refused: %s', async (code, state) => {
    expect(await judgeOne(held(), eventAt + hourMs, { state })).toEqual({ kind: 'refuse', code })
  })

  it('waits on where nobody knows the offer, until it expires', async () => {
    const now = eventAt + hourMs
    expect(await judgeOne(held(), now, { state: {} })).toEqual({
      kind: 'defer',
      notBefore: now + minuteMs,
      code: 'OFFER_UNKNOWN',
    })
    expect(await judgeOne(held({ expiresAt: now + 1 }), now, { state: {} })).toMatchObject({ notBefore: now + 1 })
    const silent = held({ data: {} })
    expect(await judgeOne(silent, now)).toMatchObject({ code: 'OFFER_UNKNOWN' })
  })

  it('gives way to a newer one', async () => {
    const setting = { superseded: [sampleNotification.notificationId] }
    expect(await judgeOne(held(), eventAt + hourMs, setting)).toEqual({ kind: 'refuse', code: 'SUPERSEDED' })
  })

  it('of a type without an offer asks for none', async () => {
    const { judge, readKnownStates } = open({ state: {} })
    expect(await judge([held({ notificationType: 'REMINDER' })], eventAt + hourMs)).toEqual([{ kind: 'send' }])
    expect(readKnownStates).toHaveBeenCalledWith([])
  })
})

describe('a delivery in quiet hours', () => {
  const recipient: Recipient = { ...defaultRecipient, quietHours: { start: '11:00:00', end: '13:00:00' } }

  it('waits for their end, and is asked nothing before', async () => {
    const { judge, findSuperseded } = open()
    const verdicts = await judge([held({}, { recipient, waited: false })], eventAt)
    expect(verdicts).toEqual([{ kind: 'defer', notBefore: eventAt + hourMs, code: 'QUIET_HOURS' }])
    expect(findSuperseded).not.toHaveBeenCalled()
  })

  it('is sent if it makes no noise, or is transactional', async () => {
    expect(await judgeOne(held({}, { recipient, channel: 'IN_APP' }), eventAt)).toEqual({ kind: 'send' })
    expect(await judgeOne(held({ notificationType: 'TRANSACTIONAL' }, { recipient }), eventAt)).toEqual({
      kind: 'send',
    })
  })
})

describe('a fresh delivery', () => {
  it.each([
    ['is not judged', minuteMs, 0],
    ['is judged once its event is older than OFFER_RECHECK_MS', minuteMs + 1, 1],
  ])('%s', async (_, age, asked) => {
    const { judge, readKnownStates } = open()
    await judge([held({}, { waited: false })], eventAt + age)
    expect(readKnownStates).toHaveBeenCalledTimes(asked)
  })
})

describe('a delivery that is sent on a later local date', () => {
  const seoulMidnight = eventAt + 12 * hourMs

  it('takes a slot of that date, in the user\u2019s own zone', async () => {
    const { judge, resend } = open()
    const newYorker = { ...defaultRecipient, timezone: 'America/New_York' }
    await judge([held(), held({ userId: 'n' }, { recipient: newYorker })], seoulMidnight - 1)
    expect(resend).toHaveBeenLastCalledWith([
      expect.objectContaining({ userId: 'user-1', date: '2026-01-15', isOtherDay: false }),
      expect.objectContaining({ userId: 'n', date: '2026-01-15', isOtherDay: true }),
    ])
    await judge([held()], seoulMidnight)
    expect(resend).toHaveBeenLastCalledWith([
      {
        ...{ userId: 'user-1', subject: 'P-20391', type: 'PRICE_DROP', eventId: 'inventory-7f3d2a' },
        ...{ notificationId: sampleNotification.notificationId, date: '2026-01-16', isOtherDay: true },
      },
    ])
  })

  it('takes one of the date where the user is by now, which may be an earlier one', async () => {
    const { judge, resend } = open()
    const newYorker = { ...defaultRecipient, timezone: 'America/New_York' }
    const inSeoul = held({}, { recipient: newYorker, plannedIn: 'Asia/Seoul' })
    const inNewYork = held({}, { plannedIn: 'America/New_York' })
    await judge([inSeoul, inNewYork], eventAt + hourMs)
    expect(resend).toHaveBeenLastCalledWith([
      expect.objectContaining({ date: '2026-01-14', isOtherDay: true }),
      expect.objectContaining({ date: '2026-01-15', isOtherDay: true }),
    ])
  })

  it('takes it also if it is fresh and only midnight has passed, and is asked nothing else', async () => {
    const { judge, resend, readKnownStates } = open()
    const timestamp = seoulMidnight - 10_000
    const fresh = held({ timestamp, eventTimestamp: timestamp }, { waited: false })
    expect(await judge([fresh], seoulMidnight + 10_000)).toEqual([{ kind: 'send' }])
    expect(resend).toHaveBeenLastCalledWith([expect.objectContaining({ date: '2026-01-16', isOtherDay: true })])
    expect(readKnownStates).toHaveBeenCalledWith([])
  })

  it.each([
    [{ kind: 'held' }, { kind: 'send' }],
    [
      { kind: 'duplicate', blockingEventId: 'e' },
      { kind: 'refuse', code: 'DUPLICATE' },
    ],
    [
      { kind: 'daily-limit', dayCount: 10 },
      { kind: 'refuse', code: 'DAILY_LIMIT' },
    ],
  ] satisfies [GateAnswer, object][])('answered %j is %j', async (slot, verdict) => {
    expect(await judgeOne(held(), seoulMidnight, { slot })).toEqual(verdict)
  })

  it('takes none if it is refused for another reason', async () => {
    const { judge, resend } = open({ state: { price: { value: 99, at: 0 } } })
    await judge([held()], seoulMidnight)
    expect(resend).toHaveBeenCalledWith([])
  })

  it('waits if its slot is spoilt, without its neighbours', async () => {
    const spoilt = new PermanentError('GATE_KEY_SPOILT', 'spoilt')
    const { judge, resend } = open()
    resend.mockImplementation(async (requests) => {
      const users = requests.map((request) => (request as { userId: string }).userId)
      if (users.includes('unlucky')) throw spoilt
      return requests.map(() => ({ kind: 'held' }))
    })
    expect(await judge([held(), held({ userId: 'unlucky' })], seoulMidnight)).toEqual([
      { kind: 'send' },
      { kind: 'defer', notBefore: seoulMidnight + minuteMs, code: 'SLOT_UNKNOWN' },
    ])
  })
})

describe('without Redis', () => {
  const down = new TransientError('REDIS_UNAVAILABLE', 'down', { dependency: 'redis' })

  it.each([
    ['its offer', { states: down }, eventAt + hourMs],
    ['its slot', { slots: down }, eventAt + 12 * hourMs],
  ])('what depends on %s is given back, and transactional ones go on', async (_, fail, now) => {
    const { judge } = open({ fail })
    expect(await judge([held(), held({ notificationType: 'TRANSACTIONAL' })], now)).toEqual([
      { kind: 'give-back' },
      { kind: 'send' },
    ])
  })
})

import { randomUUID } from 'node:crypto'
import type { SmsBehaviour } from '@dropbell/local-stack/sms-simulator/control-client'
import type { SmtpBehaviour } from '@dropbell/local-stack/smtp-sink/control-client'
import type { Channel, NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSenderWorld, type Lane, notificationFor, type SenderWorld } from './testing/sender-world.ts'

vi.setConfig({ testTimeout: 90_000 })

const inTime = { timeout: 40_000, interval: 50 }
const everywhere: Channel[] = ['PUSH', 'SMS', 'EMAIL', 'IN_APP']

let world: SenderWorld
let lane: Lane
beforeAll(async () => {
  world = await createSenderWorld()
  lane = await world.openLane()
  await lane.startHere()
})
afterAll(() => world?.close())

let users = 0

/** Somebody who wants to hear of it everywhere. */
const reachable = async (on: Lane = lane) => {
  const userId = `user-${randomUUID()}`
  const contacts = { phone: `+8210${String(++users).padStart(8, '0')}`, email: `${userId}@shop.test` }
  await on.registerDevice(`device-${userId}`, userId, { token: `token-${userId}` })
  const { phone, email } = contacts
  await on.pool.query('INSERT INTO user_info (user_id, phone, email) VALUES ($1, $2, $3)', [userId, phone, email])
  await on.pool.query('INSERT INTO notification_preferences (user_id, channels) VALUES ($1, $2)', [userId, everywhere])
  return { userId, ...contacts }
}

const rowOf = async (on: Lane, notification: NotificationEvent, channel: Channel) =>
  (await on.rowsOf([notification])).find((row) => row.channel === channel)

describe('a notification for every channel', () => {
  it('reaches its user over each of them once, and the outcome says so', async () => {
    const { userId, phone, email } = await reachable()
    const notification = notificationFor(userId, { channels: everywhere })
    await lane.publish([notification])
    const [outcome] = await lane.untilSettled([notification])
    expect(outcome?.status).toBe('SENT')
    await vi.waitFor(() => {
      const newest = lane.outcomesOf(notification).sort((a, b) => b.revision - a.revision)[0]
      expect(newest?.results.map(({ channel, target, code }) => [channel, target, code])).toEqual([
        ['EMAIL', 'email', null],
        ['IN_APP', 'inbox', null],
        ['PUSH', `device-${userId}`, null],
        ['SMS', 'phone', null],
      ])
    }, inTime)
    expect(await lane.receivedBy([notification])).toEqual([1])
    expect(lane.inAppOf(notification)).toBe(1)
    const texts = await lane.sms.messages(phone)
    expect(texts.map(({ text }) => text)).toEqual([expect.stringContaining(notification.body)])
    const mails = await lane.smtp.messages(email)
    expect(mails.map(({ subject }) => subject)).toEqual([notification.title])
    // Nobody's number or address is in what is published.
    expect(JSON.stringify(lane.outcomesOf(notification))).not.toContain(phone)
    expect(JSON.stringify(lane.outcomesOf(notification))).not.toContain(email)
  })

  it('goes where its user wants it, and says why not elsewhere', async () => {
    const { userId } = await reachable()
    await lane.pool.query("UPDATE notification_preferences SET channels = '{SMS,EMAIL}' WHERE user_id = $1", [userId])
    await lane.pool.query('UPDATE user_info SET phone = NULL WHERE user_id = $1', [userId])
    const notification = notificationFor(userId, { channels: everywhere })
    await lane.publish([notification])
    expect(await lane.untilSettled([notification])).toMatchObject([{ status: 'SENT' }])
    const rows = await lane.rowsOf([notification])
    expect(Object.fromEntries(rows.map(({ channel, status, code }) => [channel, code ?? status]))).toEqual({
      PUSH: 'CHANNEL_OPTED_OUT',
      SMS: 'NO_PHONE',
      EMAIL: 'SUCCESS',
      IN_APP: 'CHANNEL_OPTED_OUT',
    })
  })
})

interface Fault<B> {
  behaviour: B
  row: { code: string }
}

const final = (code: string) => ({ status: 'FAIL', code, retryable: false, attempt: 1 })
const spent = (code: string) => ({ status: 'FAIL', code, retryable: true, attempt: 4, next_retry_at: null })

/** The push of the same notification is with its device, whatever becomes of the rest. */
const expectPushed = async (notification: NotificationEvent): Promise<void> => {
  await vi.waitFor(async () => expect(await lane.receivedBy([notification])).toEqual([1]), inTime)
  await vi.waitFor(() => {
    expect(lane.outcomesOf(notification).map(({ status }) => status)).toContain('SENT')
  }, inTime)
}

/** What the history will say of the target. */
const expectResult = (notification: NotificationEvent, channel: Channel, { code }: { code: string }): Promise<void> =>
  vi.waitFor(() => {
    const newest = lane.outcomesOf(notification).sort((a, b) => b.revision - a.revision)[0]
    expect(newest).toMatchObject({ status: 'SENT' })
    expect(newest?.results.find((result) => result.channel === channel)).toMatchObject({ code })
  }, inTime)

describe('a gateway that', () => {
  const faults: Record<string, Fault<SmsBehaviour>> = {
    'refuses the number': { behaviour: { do: 'refuse', status: 422 }, row: final('HTTP_422') },
    'is overloaded': { behaviour: { do: 'refuse', status: 503 }, row: spent('HTTP_503') },
    'does not answer': { behaviour: { do: 'silence', accepted: true }, row: final('UNKNOWN_OUTCOME') },
    'cuts the connection after taking it': { behaviour: { do: 'drop', accepted: true }, row: final('UNKNOWN_OUTCOME') },
  }

  it.each(Object.entries(faults))('%s decides over its row, and not over the push', async (_, { behaviour, row }) => {
    const { userId, phone } = await reachable()
    await lane.sms.script(behaviour, phone)
    const notification = notificationFor(userId, { channels: ['PUSH', 'SMS'] })
    await lane.publish([notification])
    await expectPushed(notification)
    await vi.waitFor(async () => expect(await rowOf(lane, notification, 'SMS')).toMatchObject(row), inTime)
    await expectResult(notification, 'SMS', row)
  })
})

describe('a mail server that', () => {
  const faults: Record<string, Fault<SmtpBehaviour>> = {
    'refuses the address': { behaviour: { do: 'refuse', at: 'rcpt', code: 550 }, row: final('SMTP_550') },
    'is overloaded': { behaviour: { do: 'refuse', at: 'data', code: 451 }, row: spent('SMTP_451') },
    'does not answer': { behaviour: { do: 'silence', at: 'data', accepted: true }, row: final('UNKNOWN_OUTCOME') },
    'cuts the connection after taking it': {
      behaviour: { do: 'drop', at: 'data', accepted: true },
      row: final('UNKNOWN_OUTCOME'),
    },
  }

  it.each(Object.entries(faults))('%s decides over its row, and not over the push', async (_, { behaviour, row }) => {
    const { userId, email } = await reachable()
    await lane.smtp.script(behaviour, email)
    const notification = notificationFor(userId, { channels: ['PUSH', 'EMAIL'] })
    await lane.publish([notification])
    await expectPushed(notification)
    await vi.waitFor(async () => expect(await rowOf(lane, notification, 'EMAIL')).toMatchObject(row), inTime)
    await expectResult(notification, 'EMAIL', row)
  })
})

describe('a provider that is not there', () => {
  it('burns no attempt, and what waits for it is sent when it is back', async () => {
    const nowhere = `127.0.0.1:${await closedPort()}`
    const apart = await world.openLane({ SMS_BREAKER_RESET_MS: '200', SMTP_BREAKER_RESET_MS: '200' })
    const without = { SMS_GATEWAY_URL: `http://${nowhere}/messages`, SMTP_URL: `smtp://${nowhere}` }
    await apart.startHere(without)
    const { userId, phone, email } = await reachable(apart)
    const notification = notificationFor(userId, { channels: everywhere })
    await apart.publish([notification])
    for (const channel of ['SMS', 'EMAIL'] as const) {
      await vi.waitFor(async () => {
        const row = await rowOf(apart, notification, channel)
        expect(row).toMatchObject({ status: 'READY', attempt: 0, attempted_at: null, code: 'CONNECTION_FAILED' })
      }, inTime)
    }
    expect(await apart.receivedBy([notification])).toEqual([1])
    await vi.waitFor(async () => {
      expect(await rowOf(apart, notification, 'IN_APP')).toMatchObject({ status: 'SUCCESS' })
    }, inTime)
    await apart.stop()
    await apart.startHere()
    await apart.untilSettled([notification])
    expect(await apart.sms.countsOf(phone)).toMatchObject({ accepted: 1 })
    expect(await apart.smtp.countsOf(email)).toMatchObject({ accepted: 1 })
    expect(await apart.receivedBy([notification])).toEqual([1])
  })

  it('for pushes holds up no other channel', async () => {
    const apart = await world.openLane({ DELIVERY_LEASE_MS: '30000', DELIVERY_SEND_DEADLINE_MS: '20000' })
    await apart.fcm.script({ do: 'silence', accepted: false })
    await apart.startHere()
    const { userId, phone, email } = await reachable(apart)
    const notification = notificationFor(userId, { channels: everywhere })
    await apart.publish([notification])
    await vi.waitFor(async () => {
      expect(await apart.sms.countsOf(phone)).toMatchObject({ accepted: 1 })
      expect(await apart.smtp.countsOf(email)).toMatchObject({ accepted: 1 })
      expect(apart.inAppOf(notification)).toBe(1)
    }, inTime)
    expect(await rowOf(apart, notification, 'PUSH')).toMatchObject({ status: 'READY', attempt: 1 })
    await apart.stop()
  })

  it('that hangs does not hold up the pushes of those after it', async () => {
    const apart = await world.openLane({ DELIVERY_LEASE_MS: '30000', DELIVERY_SEND_DEADLINE_MS: '20000' })
    await apart.sms.script({ do: 'silence', accepted: false })
    await apart.startHere()
    const hanging = notificationFor((await reachable(apart)).userId, { channels: ['PUSH', 'SMS'] })
    await apart.publish([hanging], 0)
    await vi.waitFor(async () => expect((await apart.sms.report()).requests).toBeGreaterThan(0), inTime)
    const others = await apart.prepare(20)
    await apart.publish(others, 0)
    await apart.untilSettled(others)
    expect(await rowOf(apart, hanging, 'SMS')).toMatchObject({ status: 'READY', attempt: 1 })
    await apart.stop()
  })
})

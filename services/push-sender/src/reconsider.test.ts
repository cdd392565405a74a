import type { TakenRow } from '@dropbell/database/ledger/take-due-deliveries'
import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import { describe, expect, it } from 'vitest'
import { reconsider } from './reconsider.ts'

const device = { token: 't', platform: 'IOS', locale: 'ko', push_consent: true, status: 'ACTIVE' } as const

const row = (said: Partial<TakenRow> = {}): TakenRow => ({
  notification_id: 'n',
  channel: 'PUSH',
  target_id: 'phone',
  attempt: 1,
  expires_at: new Date(1_000),
  user_id: 'u',
  notification_type: 'PRICE_DROP',
  product_id: 'p',
  event_id: null,
  title: 'title',
  body: 'body',
  data: {},
  channels: ['PUSH'],
  priority: 'HIGH',
  composed_at: new Date(1),
  event_timestamp: null,
  timezone: null,
  device,
  email: null,
  phone: null,
  waited: true,
  ...said,
})

const everywhere: Recipient = { ...defaultRecipient, channels: ['PUSH', 'SMS', 'EMAIL', 'IN_APP'] }
const optedOut: Recipient = { ...defaultRecipient, optedOut: new Set(['PRICE_DROP']) }

describe('reconsider', () => {
  it('sends what is still wanted, to the token the device has now', () => {
    expect(reconsider(row(), defaultRecipient, 999)).toMatchObject({
      kind: 'send',
      held: {
        key: { notificationId: 'n', channel: 'PUSH', targetId: 'phone' },
        notification: { expiresAt: 1_000, timestamp: 1, eventTimestamp: null },
        target: { id: 'phone', address: 't', platform: 'IOS', locale: 'ko' },
      },
    })
  })

  it.each([
    ['SMS', { phone: '+8210' }, '+8210'],
    ['EMAIL', { email: 'u@shop.test' }, 'u@shop.test'],
    ['IN_APP', {}, 'u'],
  ] as const)('sends over %s to where the user is now', (channel, contact, address) => {
    const verdict = reconsider(row({ channel, device: null, ...contact }), everywhere, 1)
    expect(verdict).toMatchObject({ kind: 'send', held: { target: { address } } })
  })

  it.each([
    ['EXPIRED', row(), defaultRecipient, 1_000],
    ['OPTED_OUT', row(), optedOut, 1],
    ['CHANNEL_OPTED_OUT', row(), { ...defaultRecipient, channels: [] }, 1],
    ['NO_DEVICE', row({ device: null }), defaultRecipient, 1],
    ['DEVICE_INVALID', row({ device: { ...device, status: 'INVALID' } }), defaultRecipient, 1],
    ['NO_CONSENT', row({ device: { ...device, push_consent: false } }), defaultRecipient, 1],
    ['NO_PHONE', row({ channel: 'SMS', email: 'u@shop.test' }), everywhere, 1],
    ['NO_EMAIL', row({ channel: 'EMAIL', phone: '+8210' }), everywhere, 1],
  ] satisfies [string, TakenRow, Recipient, number][])('refuses: %s', (code, taken, recipient, now) => {
    expect(reconsider(taken, recipient, now)).toMatchObject({ kind: 'refuse', code })
  })

  it('asks a transactional one for no preferences', () => {
    const taken = row({ notification_type: 'TRANSACTIONAL' })
    expect(reconsider(taken, { ...optedOut, channels: [] }, 1).kind).toBe('send')
  })
})

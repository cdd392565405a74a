import type { Device } from '@dropbell/database/read-devices'
import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import type { Channel, NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { describe, expect, it } from 'vitest'
import { type PlanContext, planDeliveries } from './plan-deliveries.ts'
import { sampleNotification } from './testing/sample-outgoing.ts'

const device = (deviceId: string, pushConsent = true): Device => ({
  ...{ deviceId, pushConsent, token: `token-of-${deviceId}` },
  ...{ platform: 'IOS', locale: null },
})

const plan = (said: Partial<NotificationEvent> = {}, context: Partial<PlanContext> = {}) =>
  planDeliveries(
    { ...sampleNotification, ...said },
    {
      ...{ recipient: defaultRecipient, devices: [device('phone')], contacts: undefined, quietUntil: undefined },
      ...{ isFresh: true, expiresAt: 2, now: 1 },
      ...context,
    },
  )

const everywhere: Recipient = { ...defaultRecipient, channels: ['PUSH', 'SMS', 'EMAIL', 'IN_APP'] }
const transactional = { notificationType: 'TRANSACTIONAL' } as const

describe('planDeliveries', () => {
  it('sends to every device that agreed, and says why not to the others', () => {
    const devices = [device('phone'), device('tablet', false), device('watch')]
    expect(plan({}, { devices })).toEqual({
      refusal: null,
      deliveries: [
        { channel: 'PUSH', targetId: 'phone', kind: 'send' },
        { channel: 'PUSH', targetId: 'tablet', kind: 'refuse', code: 'NO_CONSENT' },
        { channel: 'PUSH', targetId: 'watch', kind: 'send' },
        { channel: 'IN_APP', targetId: 'inbox', kind: 'begin' },
      ],
    })
  })

  it.each([
    ['EXPIRED', {}, { now: 2 }],
    ['OPTED_OUT', {}, { recipient: { ...defaultRecipient, optedOut: new Set(['PRICE_DROP'] as const) } }],
    ['NO_CHANNEL', { channels: [] }, {}],
  ] satisfies [string, Partial<NotificationEvent>, Partial<PlanContext>][])(
    'refuses as a whole: %s',
    (refusal, said, context) => {
      expect(plan(said, context)).toEqual({ refusal, deliveries: [] })
    },
  )

  it.each([
    ['PUSH', 'CHANNEL_OPTED_OUT', { recipient: { ...defaultRecipient, channels: ['EMAIL'] } }],
    ['PUSH', 'NO_DEVICE', { devices: [] }],
    ['SMS', 'CHANNEL_OPTED_OUT', { contacts: { phone: '+8210', email: null } }],
    ['SMS', 'NO_PHONE', { recipient: everywhere }],
    ['EMAIL', 'NO_EMAIL', { recipient: everywhere, contacts: { phone: '+8210', email: null } }],
  ] satisfies [Channel, string, Partial<PlanContext>][])('refuses %s: %s', (channel, code, context) => {
    expect(plan({ channels: [channel] }, context).deliveries).toEqual([{ channel, targetId: '', kind: 'refuse', code }])
  })

  it('leaves text messages and mail to whoever looks after their channel', () => {
    const contacts = { phone: '+8210', email: 'u@shop.test' }
    expect(plan({ channels: ['SMS', 'EMAIL'] }, { recipient: everywhere, contacts }).deliveries).toEqual([
      { channel: 'SMS', targetId: 'phone', kind: 'leave' },
      { channel: 'EMAIL', targetId: 'email', kind: 'leave' },
    ])
  })

  it('holds back in quiet hours what would ring, until they are over or it expires', () => {
    const channels: Channel[] = ['PUSH', 'SMS', 'IN_APP']
    const context = { recipient: everywhere, contacts: { phone: '+8210', email: null }, expiresAt: 9 }
    const [push, sms, inApp] = plan({ channels }, { ...context, quietUntil: 5 }).deliveries
    expect(push).toEqual({ channel: 'PUSH', targetId: 'phone', kind: 'defer', notBefore: 5, code: 'QUIET_HOURS' })
    expect([sms?.kind, inApp?.kind]).toEqual(['defer', 'begin'])
    expect(plan({}, { ...context, quietUntil: 12 }).deliveries[0]).toMatchObject({ notBefore: 9 })
    expect(plan(transactional, { ...context, quietUntil: 5 }).deliveries[0]?.kind).toBe('send')
  })

  it('asks a transactional one for no preferences, but for consent and validity', () => {
    const recipient = { ...defaultRecipient, channels: [], optedOut: new Set(['PRICE_DROP'] as const) }
    expect(plan(transactional, { recipient }).deliveries).toMatchObject([{ kind: 'send' }, { kind: 'begin' }])
    expect(plan(transactional, { devices: [device('phone', false)] }).deliveries[0]).toMatchObject({
      code: 'NO_CONSENT',
    })
    expect(plan(transactional, { now: 2 }).refusal).toBe('EXPIRED')
  })

  it('puts a transactional one into the inbox, whether that was asked for or a device is there', () => {
    expect(plan({ ...transactional, channels: ['PUSH'] }, { devices: [] }).deliveries).toEqual([
      { channel: 'PUSH', targetId: '', kind: 'refuse', code: 'NO_DEVICE' },
      { channel: 'IN_APP', targetId: 'inbox', kind: 'begin' },
    ])
    expect(plan({ ...transactional, channels: [] }).deliveries).toMatchObject([{ channel: 'IN_APP' }])
  })

  it('begins nothing with its claim that is to be judged first', () => {
    expect(plan({ channels: ['IN_APP'] }, { isFresh: false }).deliveries).toMatchObject([{ kind: 'send' }])
  })

  it('counts a channel once that is named twice', () => {
    expect(plan({ channels: ['PUSH', 'PUSH'] }).deliveries).toHaveLength(1)
  })
})

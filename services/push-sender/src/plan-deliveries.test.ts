import type { Device } from '@dropbell/database/read-devices'
import { defaultRecipient } from '@dropbell/database/read-recipients'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
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
      ...{ recipient: defaultRecipient, devices: [device('phone')], served: new Set(['PUSH']), expiresAt: 2, now: 1 },
      ...context,
    },
  )

const transactional = { notificationType: 'TRANSACTIONAL' } as const

describe('planDeliveries', () => {
  it('sends to every device that agreed, and says why not to the others', () => {
    const devices = [device('phone'), device('tablet', false), device('watch')]
    expect(plan({}, { devices })).toEqual({
      refusal: null,
      deliveries: [
        { channel: 'PUSH', targetId: 'phone', refusal: null },
        { channel: 'PUSH', targetId: 'tablet', refusal: 'NO_CONSENT' },
        { channel: 'PUSH', targetId: 'watch', refusal: null },
      ],
    })
  })

  it.each([
    ['EXPIRED', {}, { now: 2 }],
    ['OPTED_OUT', {}, { recipient: { ...defaultRecipient, optedOut: new Set(['PRICE_DROP'] as const) } }],
    ['CHANNEL_NOT_SERVED', { channels: ['IN_APP'] }, {}],
    ['CHANNEL_NOT_SERVED', { channels: [] }, {}],
  ] satisfies [string, Partial<NotificationEvent>, Partial<PlanContext>][])(
    'refuses as a whole: %s',
    (refusal, said, context) => {
      expect(plan(said, context)).toEqual({ refusal, deliveries: [] })
    },
  )

  it.each([
    ['CHANNEL_OPTED_OUT', { recipient: { ...defaultRecipient, channels: ['EMAIL'] } }],
    ['NO_DEVICE', { devices: [] }],
  ] satisfies [string, Partial<PlanContext>][])('refuses a channel: %s', (refusal, context) => {
    expect(plan({}, context).deliveries).toEqual([{ channel: 'PUSH', targetId: '', refusal }])
  })

  it('asks a transactional one for no preferences, but for consent and validity', () => {
    const recipient = { ...defaultRecipient, channels: [], optedOut: new Set(['PRICE_DROP'] as const) }
    expect(plan(transactional, { recipient }).deliveries).toMatchObject([{ refusal: null }])
    expect(plan(transactional, { devices: [device('phone', false)] }).deliveries).toMatchObject([
      { refusal: 'NO_CONSENT' },
    ])
    expect(plan(transactional, { now: 2 }).refusal).toBe('EXPIRED')
  })

  it('counts a channel once that is named twice', () => {
    expect(plan({ channels: ['PUSH', 'PUSH'] }).deliveries).toHaveLength(1)
  })
})

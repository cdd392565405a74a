import { describe, expect, it } from 'vitest'
import { type OutgoingChanges, sampleNotification, sampleOutgoing } from '../testing/sample-outgoing.ts'
import { buildMessage } from './build-message.ts'

const hourMs = 3_600_000
const now = (sampleNotification.expiresAt ?? 0) - 2 * hourMs

const build = (changes: OutgoingChanges, ...dataOnly: ('PRICE_DROP' | 'REMINDER')[]) =>
  buildMessage(sampleOutgoing(changes), { dataOnlyTypes: new Set(dataOnly) }, now)

const ios = { target: { platform: 'IOS' } } as const
const android = { target: { platform: 'ANDROID' } } as const
const text = { title: sampleNotification.title, body: sampleNotification.body }

describe('an alert', () => {
  it('is shown by iOS itself', () => {
    const { apns, android: other, notification } = build(ios)
    expect(apns).toEqual({
      headers: {
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-expiration': String((sampleNotification.expiresAt ?? 0) / 1_000),
        'apns-collapse-id': 'PRICE_DROP:P-20391',
      },
      payload: { aps: { alert: text } },
    })
    expect([other, notification]).toEqual([undefined, undefined])
  })

  it('is shown by Android itself, and replaces its like also on the screen', () => {
    expect(build(android).android).toEqual({
      priority: 'high',
      ttl: 2 * hourMs,
      collapseKey: 'PRICE_DROP:P-20391',
      notification: { ...text, tag: 'PRICE_DROP:P-20391' },
    })
  })

  it('is shown by a browser', () => {
    const { webpush } = build({ target: { platform: 'WEB' } })
    expect(webpush).toMatchObject({ headers: { TTL: '7200', Urgency: 'high' }, notification: text })
    expect(webpush?.headers?.Topic).toMatch(/^[\w-]{32}$/)
  })

  it('carries what the app needs beside the text, and which notification it is', () => {
    const { data } = build({ notification: { notificationId: 'n-1', data: { type: 'theirs', currentPrice: '69.9' } } })
    expect(data).toEqual({ notificationId: 'n-1', type: 'PRICE_DROP', productId: 'P-20391', currentPrice: '69.9' })
  })

  it.each([
    ['HIGH', '10', 'high'],
    ['NORMAL', '10', 'normal'],
    ['LOW', '5', 'normal'],
  ] as const)('of priority %s has priority %s with APNs and %s with Android', (priority, apns, droid) => {
    expect(build({ ...ios, notification: { priority } }).apns?.headers?.['apns-priority']).toBe(apns)
    expect(build({ ...android, notification: { priority } }).android?.priority).toBe(droid)
  })
})

describe('a data-only message', () => {
  it('wakes the app in the background on iOS, and nothing is shown', () => {
    const { apns, data } = build(ios, 'PRICE_DROP')
    expect(apns?.headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' })
    expect(apns?.payload).toEqual({ aps: { 'content-available': 1 } })
    expect(data).toMatchObject(text)
  })

  it('wakes the app on Android whatever its priority, and nothing is shown', () => {
    const { android: config, data } = build({ ...android, notification: { priority: 'LOW' } }, 'PRICE_DROP')
    expect(config).toMatchObject({ priority: 'high' })
    expect(config).not.toHaveProperty('notification')
    expect(data).toMatchObject(text)
  })

  it('is only what the configuration says: other types stay alerts', () => {
    expect(build(ios, 'REMINDER').apns?.payload?.aps).toHaveProperty('alert')
  })
})

describe('the time to live', () => {
  const ttlOf = (expiresAt: number | null, timestamp = now) =>
    build({ ...android, notification: { expiresAt, timestamp } }).android?.ttl

  it('ends when the notification does, in whole seconds', () => {
    expect(ttlOf(now + 1_999)).toBe(1_000)
  })

  it('is nothing for one that has ended, and at most four weeks', () => {
    expect(ttlOf(now - 1)).toBe(0)
    expect(ttlOf(now + 100 * 24 * hourMs)).toBe(28 * 24 * hourMs)
  })

  it('is a day from when it was made, for a writer that does not say', () => {
    expect(ttlOf(null, now - hourMs)).toBe(23 * hourMs)
  })
})

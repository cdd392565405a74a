import type { OutcomeRow } from '@dropbell/database/ledger/read-outcomes'
import { describe, expect, it } from 'vitest'
import { outcomeOf } from './outcome-of.ts'

type Delivery = OutcomeRow['deliveries'][number]

const delivery = (said: Partial<Delivery>): Delivery => ({
  ...{ channel: 'PUSH', target_id: 'phone', status: 'FAIL', code: 'UNREGISTERED', attempt: 1 },
  ...{ latency_ms: 12, retryable: false, settled: 1_000 },
  ...said,
})

const row = (deliveries: Delivery[], said: Partial<OutcomeRow> = {}): OutcomeRow => ({
  notification_id: 'n',
  user_id: 'u',
  notification_type: 'PRICE_DROP',
  product_id: 'p',
  event_id: 'e',
  title: 't',
  channels: ['PUSH'],
  event_timestamp: new Date(1),
  composed_at: new Date(2),
  traceparent: null,
  refusal: null,
  outcome_revision: 3,
  outcome_at: new Date(5),
  deliveries,
  ...said,
})

const sent = delivery({ status: 'SUCCESS', code: null, target_id: 'tablet' })
const refusedDevice = delivery({ code: 'NO_CONSENT', attempt: 0, target_id: 'watch', latency_ms: null })

describe('outcomeOf', () => {
  it.each([
    ['SENT', null, [delivery({}), sent, refusedDevice]],
    ['DEFERRED', 'UNAVAILABLE', [delivery({}), delivery({ code: 'UNAVAILABLE', retryable: true })]],
    ['FAILED', 'UNREGISTERED', [refusedDevice, delivery({})]],
    ['FAILED', 'UNKNOWN_OUTCOME', [delivery({ code: 'UNKNOWN_OUTCOME' })]],
    ['EXPIRED', 'EXPIRED', [delivery({ code: 'EXPIRED', attempt: 4 })]],
    ['USER_OPTED_OUT', 'NO_CONSENT', [refusedDevice]],
    ['USER_OPTED_OUT', 'CHANNEL_OPTED_OUT', [delivery({ code: 'CHANNEL_OPTED_OUT', target_id: '', attempt: 0 })]],
    ['FAILED', 'NO_DEVICE', [delivery({ code: 'NO_DEVICE', target_id: '', attempt: 0 })]],
    ['STALE', 'PRICE_ROSE', [delivery({ code: 'PRICE_ROSE', attempt: 0 })]],
    ['STALE', 'SOLD_OUT', [delivery({ code: 'SOLD_OUT', attempt: 0 })]],
    ['SUPERSEDED', 'SUPERSEDED', [delivery({ code: 'SUPERSEDED', attempt: 0 })]],
    [
      'STALE',
      'PRICE_ROSE',
      [
        delivery({ channel: 'EMAIL', code: 'CHANNEL_OPTED_OUT', target_id: '', attempt: 0 }),
        delivery({ channel: 'IN_APP', code: 'PRICE_ROSE', attempt: 0 }),
      ],
    ],
    ['RATE_LIMITED', 'DAILY_LIMIT', [delivery({ code: 'DAILY_LIMIT', attempt: 0 })]],
  ])('says %s, %s', (status, reason, deliveries) => {
    expect(outcomeOf(row(deliveries))).toMatchObject({ status, reason, revision: 3, occurredAt: 5 })
  })

  it.each([
    ['EXPIRED', 'EXPIRED'],
    ['USER_OPTED_OUT', 'OPTED_OUT'],
    ['FAILED', 'NO_CHANNEL'],
  ])('says %s for a notification that was refused as a whole: %s', (status, refusal) => {
    expect(outcomeOf(row([], { refusal }))).toMatchObject({ status, reason: refusal, results: [] })
  })

  const inbox = delivery({ channel: 'IN_APP', target_id: 'inbox', status: 'SUCCESS', code: null })

  it.each([
    ['SENT', null, 'nothing else was asked for', []],
    ['SENT', null, 'there is no device', [delivery({ code: 'NO_DEVICE', target_id: '', attempt: 0 })]],
    ['SENT', null, 'the user wants no text messages', [delivery({ channel: 'SMS', code: 'CHANNEL_OPTED_OUT' })]],
    ['DEFERRED', 'QUIET_HOURS', 'the push waits', [delivery({ status: 'READY', code: 'QUIET_HOURS', settled: null })]],
    ['DEFERRED', 'IN_PROGRESS', 'a mail is on its way', [delivery({ status: 'READY', code: null, channel: 'EMAIL' })]],
    ['STALE', 'PRICE_ROSE', 'the push was withheld', [delivery({ code: 'PRICE_ROSE', attempt: 0 })]],
    ['FAILED', 'UNREGISTERED', 'the push failed', [delivery({})]],
  ])('says %s, %s of what is in the inbox where %s', (status, reason, _, others) => {
    expect(outcomeOf(row([inbox, ...others]))).toMatchObject({ status, reason })
  })

  it('is filed by the time of its event, or of its notification where nobody said', () => {
    expect(outcomeOf(row([sent]))).toMatchObject({ eventTimestamp: 1 })
    expect(outcomeOf(row([sent], { event_timestamp: null }))).toMatchObject({ eventTimestamp: 2 })
  })

  it('explains every device that something was decided about, and no channel without one', () => {
    const waiting = delivery({ status: 'READY', target_id: 'tv', settled: null })
    const noTarget = delivery({ target_id: '', code: 'NO_DEVICE' })
    expect(outcomeOf(row([delivery({}), sent, refusedDevice, waiting, noTarget])).results).toEqual([
      { channel: 'PUSH', target: 'phone', attempt: 1, code: 'UNREGISTERED', latencyMs: 12, at: 1_000 },
      { channel: 'PUSH', target: 'tablet', attempt: 1, code: null, latencyMs: 12, at: 1_000 },
      { channel: 'PUSH', target: 'watch', attempt: 0, code: 'NO_CONSENT', latencyMs: null, at: 1_000 },
    ])
  })
})

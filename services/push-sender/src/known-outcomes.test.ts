import type { Settlement } from '@dropbell/database/ledger/settle-deliveries'
import { defaultRecipient } from '@dropbell/database/read-recipients'
import { describe, expect, it } from 'vitest'
import { outcomesOf, type PlannedRecord } from './known-outcomes.ts'
import type { DeliveryPlan } from './plan-deliveries.ts'
import { sampleNotification } from './testing/sample-outgoing.ts'

const { notificationId } = sampleNotification
const push = { channel: 'PUSH', targetId: 'phone' } as const
const tablet = { channel: 'PUSH', targetId: 'tablet' } as const
const inbox = { channel: 'IN_APP', targetId: 'inbox' } as const

const planned = (...deliveries: DeliveryPlan[]): PlannedRecord => ({
  notification: { ...sampleNotification, expiresAt: 2 },
  plan: { refusal: null, deliveries },
  ...{ recipient: defaultRecipient, devices: [], traceparent: 't' },
})

const settled = (target: typeof push | typeof inbox): Settlement => ({
  ...{ notificationId, ...target, status: 'SUCCESS', code: null, retryable: false },
  ...{ retryInMs: null, latencyMs: 3, providerId: null, deadToken: null },
})

const together = (...settlements: Settlement[]) => ({ settlements, note: '1' })
const now = 1_000

describe('outcomesOf', () => {
  it('knows what one statement settled, refusals beside it included, with a revision per delivery', () => {
    const record = planned(
      { ...push, kind: 'send' },
      { ...tablet, kind: 'refuse', code: 'NO_CONSENT' },
      { ...inbox, kind: 'begin' },
    )
    const { known, toRead } = outcomesOf([record], [together(settled(push), settled(inbox))], now)
    expect(toRead).toEqual([])
    expect(known).toMatchObject([
      {
        outcome_revision: 3,
        deliveries: [
          { channel: 'IN_APP', status: 'SUCCESS', settled: now },
          { target_id: 'phone', status: 'SUCCESS', attempt: 1 },
          { target_id: 'tablet', status: 'FAIL', code: 'NO_CONSENT', attempt: 0 },
        ],
      },
    ])
  })

  it('asks about what was settled in two statements: a retry may have come between them', () => {
    const record = planned({ ...push, kind: 'send' }, { ...inbox, kind: 'begin' })
    const { known, toRead } = outcomesOf([record], [together(settled(push)), together(settled(inbox))], now)
    expect(known).toEqual([])
    expect(new Set(toRead)).toEqual(new Set([notificationId]))
  })

  it('asks where something waits beside what was settled: its time may have come meanwhile', () => {
    const record = planned({ ...push, kind: 'defer', notBefore: 5, code: 'QUIET_HOURS' }, { ...inbox, kind: 'begin' })
    expect(outcomesOf([record], [together(settled(inbox))], now)).toEqual({ known: [], toRead: [notificationId] })
  })

  it('asks where something is left to the poller of its channel', () => {
    const record = planned({ channel: 'SMS', targetId: 'phone', kind: 'leave' }, { ...inbox, kind: 'begin' })
    expect(outcomesOf([record], [together(settled(inbox))], now)).toEqual({ known: [], toRead: [notificationId] })
  })

  it('knows what waits as a whole, and tells nothing of what is still to be sent', () => {
    const waiting = planned({ ...push, kind: 'defer', notBefore: 5, code: 'QUIET_HOURS' })
    expect(outcomesOf([waiting], [], now)).toMatchObject({
      known: [{ outcome_revision: 1, deliveries: [{ status: 'READY', code: 'QUIET_HOURS', settled: null }] }],
      toRead: [],
    })
    expect(outcomesOf([planned({ ...push, kind: 'send' })], [], now)).toEqual({ known: [], toRead: [] })
  })

  it('begins with 1 where the whole notification was refused', () => {
    const record = { ...planned(), plan: { refusal: 'EXPIRED', deliveries: [] } } as const
    expect(outcomesOf([record], [], now)).toMatchObject({ known: [{ outcome_revision: 1, refusal: 'EXPIRED' }] })
  })
})

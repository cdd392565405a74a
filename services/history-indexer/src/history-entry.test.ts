import { sampleOutcome } from '@dropbell/schemas/testing/sample-outcome'
import { recordHeaders } from '@dropbell/shared/kafka/headers'
import { describe, expect, it } from 'vitest'
import { historyEntryOf } from './history-entry.ts'

const february = Date.UTC(2026, 1, 1)
const eventTimestamp = Date.UTC(2026, 0, 31, 23, 59)
const header = (value: string) => ({ [recordHeaders.eventTimestamp]: Buffer.from(value) })

const indexOf = (said: { eventTimestamp: number | null }, headers = {}) =>
  historyEntryOf('history', { value: sampleOutcome({ ...said, occurredAt: february }), headers }).index

describe('the entry of an outcome', () => {
  it('has the id of the notification and a version that counts up with its revision', () => {
    const outcome = sampleOutcome({ revision: 3 })
    const { id, version, document } = historyEntryOf('history', { value: outcome, headers: {} })
    expect({ id, version }).toEqual({ id: outcome.notificationId, version: 4 })
    expect(JSON.parse(document)).toMatchObject({ ...outcome, sentAt: outcome.results[0]?.at })
  })

  it('is filed in the month of the event, not of the outcome', () => {
    expect(indexOf({ eventTimestamp })).toBe('history-2026.01')
  })

  it('takes the time from the header of a writer of version 1', () => {
    expect(indexOf({ eventTimestamp: null }, header(String(eventTimestamp)))).toBe('history-2026.01')
  })

  it.each([{}, header(''), header('yesterday'), header('-5')])('has only its own time without one: %j', (headers) => {
    expect(indexOf({ eventTimestamp: null }, headers)).toBe('history-2026.02')
  })
})

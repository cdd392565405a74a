import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { sampleNotification } from '@dropbell/schemas/testing/sample-values'
import { notificationOutcomeTopic } from '@dropbell/schemas/topics'
import type { OutgoingRecord } from '@dropbell/shared/kafka/publisher'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { describe, expect, it } from 'vitest'
import { withDeadLetterOutcomes } from './dead-letter-outcomes.ts'

const outcomeOfDeadLetter = async (notification: NotificationEvent): Promise<NotificationOutcome | undefined> => {
  const published: OutgoingRecord[] = []
  const publisher = withDeadLetterOutcomes({
    publisher: { publish: async (records) => void published.push(...records) },
    notifications: { decodeBatch: async (values) => values.map(() => ({ ok: true, value: notification })) },
    outcomes: { encodeBatch: async (values) => values.map((value) => Buffer.from(JSON.stringify(value))) },
    clock: { now: () => 5 },
    log: captureLog().log,
  })
  await publisher.publish([{ topic: 'push.dlq', key: 'user-1', value: Buffer.from('any') }])
  const outcome = published.find(({ topic }) => topic === notificationOutcomeTopic.name)
  return outcome && JSON.parse(String(outcome.value))
}

describe('the outcome of a dead letter', () => {
  it('is older than anything the ledger says', async () => {
    expect(await outcomeOfDeadLetter(sampleNotification)).toMatchObject({
      status: 'FAILED',
      reason: 'DEAD_LETTERED',
      revision: 0,
      occurredAt: 5,
    })
  })

  it('is filed where the outcomes of the ledger are', async () => {
    const { eventTimestamp, timestamp } = sampleNotification
    expect(await outcomeOfDeadLetter(sampleNotification)).toMatchObject({ eventTimestamp })
    expect(await outcomeOfDeadLetter({ ...sampleNotification, eventTimestamp: null })).toMatchObject({
      eventTimestamp: timestamp,
    })
  })
})

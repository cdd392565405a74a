import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import { sampleOutcome } from '@dropbell/schemas/testing/sample-outcome'
import { PermanentError } from '@dropbell/shared/errors'
import { describe, expect, it } from 'vitest'
import { createOutcomeDecoder } from './decode-outcomes.ts'

const decode = async (said: Partial<NotificationOutcome>) => {
  const decoder = createOutcomeDecoder({ decodeBatch: async () => [{ ok: true, value: sampleOutcome(said) }] })
  return (await decoder([Buffer.from('any')]))[0]
}

describe('decoding outcomes', () => {
  it('takes what can be a document', async () => {
    expect(await decode({ notificationId: 'x'.repeat(512), revision: 0 })).toMatchObject({ ok: true })
  })

  it.each([
    ['no id', { notificationId: '' }],
    ['an id that is too long', { notificationId: '가'.repeat(171) }],
    ['a negative revision', { revision: -1 }],
  ])('refuses %s for good', async (_, said) => {
    const decoded = await decode(said)
    expect(decoded).toMatchObject({ ok: false, error: { code: 'OUTCOME_WITHOUT_ID' } })
    expect(decoded?.ok === false && decoded.error).toBeInstanceOf(PermanentError)
  })
})

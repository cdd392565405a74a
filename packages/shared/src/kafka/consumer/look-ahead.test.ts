import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it, vi } from 'vitest'
import { PermanentError } from '../../errors.ts'
import type { Decode } from './consumed-record.ts'
import { showAhead } from './look-ahead.ts'

const messages = (...values: string[]) => values.map((value) => ({ value: Buffer.from(value) }) as KafkaMessage)

const decode: Decode<string> = async (values) =>
  values.map((value) =>
    String(value) === 'poison'
      ? { ok: false, error: new PermanentError('POISON', 'no') }
      : { ok: true, value: String(value) },
  )

describe('looking ahead', () => {
  it('shows all that can be read, when it takes several chunks', async () => {
    const lookAhead = vi.fn(async () => {})
    await showAhead({ decode, lookAhead, maxBatchRecords: 2 }, messages('a', 'poison', 'b'))
    expect(lookAhead).toHaveBeenCalledExactlyOnceWith(['a', 'b'])
  })

  it('is left out where one chunk is all there is', async () => {
    const lookAhead = vi.fn(async () => {})
    await showAhead({ decode, lookAhead, maxBatchRecords: 2 }, messages('a', 'b'))
    expect(lookAhead).not.toHaveBeenCalled()
  })

  it('counts for nothing when it fails', async () => {
    const lookAhead = async (): Promise<void> => {
      throw new Error('no Redis')
    }
    await showAhead({ decode, lookAhead, maxBatchRecords: 1 }, messages('a', 'b'))
  })
})

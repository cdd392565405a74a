import { PermanentError } from '@dropbell/shared/errors'
import type { KafkaMessage } from 'kafkajs'
import { expect, it } from 'vitest'
import type { JournalEntry } from './journal.ts'
import { noMarks } from './marks.ts'
import { createPace } from './pace.ts'
import type { Run } from './run.ts'
import { noCounts, runOver } from './run-over.ts'
import type { PlacedRecord, Treat } from './treatment.ts'

const toShop: Treat<PlacedRecord> = ({ key, value }) => ({
  kind: 'write',
  action: 'replayed',
  record: { topic: 'shop.v1', partition: 0, key, value },
})

const message = (offset: number): KafkaMessage =>
  ({ key: Buffer.from(`${offset}`), value: null, offset: String(offset), timestamp: '1' }) as unknown as KafkaMessage

const replay = (letters: number, commit: (entry: JournalEntry) => void, controller = new AbortController()) =>
  runOver({
    reader: {
      read: async function* () {
        const messages = Array.from({ length: letters }, (_, offset) => message(offset))
        yield { partition: 0, messages, position: letters }
      },
    },
    journal: { commit: async (entry) => commit(entry) },
    ranges: [],
    selection: {},
    marks: noMarks,
    again: false,
    treat: toShop,
    pace: createPace(undefined),
    run: { topic: 'shop.v1.dlq', selected: letters, counts: { ...noCounts } } as unknown as Run,
    now: () => 0,
    signal: controller.signal,
    onProgress: () => {},
  })

it('leaves what is too large for its topic, and goes on with the others', async () => {
  const written: string[] = []
  const result = await replay(20, ({ records }) => {
    const keys = records.map(({ key }) => String(key))
    // It takes four at once at the most, and two of them not even alone.
    if (keys.length > 4 || keys.includes('3') || keys.includes('17')) {
      throw new PermanentError('RECORD_TOO_LARGE', 'too large')
    }
    written.push(...keys)
  })
  expect(result).toMatchObject({
    state: 'finished',
    counts: { replayed: 18 },
    tooLarge: { count: 2, places: ['0:3', '0:17'] },
  })
  expect(new Set(written).size).toBe(18)
  expect(written).toHaveLength(18)
})

it('ends at any other failure', async () => {
  const failure = new PermanentError('DLQ_RUN_TAKEN_OVER', 'gone')
  const result = await replay(2, ({ records }) => {
    if (records.length > 0) throw failure
  })
  expect(result).toMatchObject({ state: 'failed', error: failure, counts: { replayed: 0 } })
})

it('is not interrupted when all was done before it could be', async () => {
  const controller = new AbortController()
  const states: string[] = []
  const result = await replay(
    3,
    ({ records, run }) => {
      states.push(run.state)
      if (records.length > 0) controller.abort()
    },
    controller,
  )
  expect(result).toMatchObject({ state: 'finished', counts: { replayed: 3 } })
  expect(states.at(-1)).toBe('finished')
})

import { deadLetterHeaders } from '@dropbell/shared/kafka/headers'
import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { readDeadLetter, readInteger } from './dead-letter.ts'
import { isDlqName, isQuarantineName } from './dlq-names.ts'

const read = (headers?: object) =>
  readDeadLetter('t.dlq', 0, { key: null, value: null, offset: '1', timestamp: '2', headers } as KafkaMessage)

describe('a dead letter', () => {
  it('may come without any header', () => {
    expect(read()).toMatchObject({
      reason: 'unknown',
      replayCount: 0,
      origin: { topic: undefined, partition: undefined },
    })
  })

  it('has the cause as its reason where Spring wrapped it', () => {
    expect(read({ [deadLetterHeaders.exceptionFqcn]: 'a.Wrapper' }).reason).toBe('a.Wrapper')
    expect(
      read({ [deadLetterHeaders.exceptionFqcn]: 'a.Wrapper', [deadLetterHeaders.exceptionCauseFqcn]: 'b.Cause' })
        .reason,
    ).toBe('b.Cause')
  })

  it('tells of the last failure where a header was added at each', () => {
    expect(read({ [deadLetterHeaders.originalTopic]: ['first', 'last'] }).origin.topic).toBe('last')
  })

  it.each([
    [Buffer.from([0, 0, 0, 5]), 5n],
    [Buffer.from([0, 0, 0, 0, 0, 0, 1, 0]), 256n],
    [Buffer.from([0xff, 0xff, 0xff, 0xff]), -1n],
    [Buffer.from('123'), 123n],
    [Buffer.from('1234'), 1_234n],
    [Buffer.from('12345678'), 12_345_678n],
    [Buffer.from('x'), undefined],
    [Buffer.alloc(0), undefined],
    [undefined, undefined],
  ])('has %o read as %s', (bytes, expected) => {
    expect(readInteger(bytes)).toBe(expected)
  })
})

it('knows topics of dead letters and of quarantine by their names', () => {
  expect(['a.dlq', 'a.dlq.quarantine', 'a', '.dlq', 'a.quarantine'].map((name) => isDlqName(name))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect(isDlqName('orders-dlt', '-dlt')).toBe(true)
  expect(isQuarantineName('a.dlq')).toBe(false)
})

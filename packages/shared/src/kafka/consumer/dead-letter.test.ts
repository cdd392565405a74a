import type { KafkaMessage } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { DropbellError, PermanentError } from '../../errors.ts'
import { toDeadLetter } from './dead-letter.ts'

const message = (headers: Record<string, unknown> = {}): KafkaMessage =>
  ({
    key: Buffer.from('key'),
    value: Buffer.from([0, 1, 255]),
    offset: '9007199254740993',
    timestamp: '1700000000000',
    attributes: 0,
    headers,
  }) as unknown as KafkaMessage

const build = (overrides: { message?: KafkaMessage; error?: unknown } = {}) =>
  toDeadLetter(
    {
      topic: 'orders',
      partition: 258,
      groupId: 'orders-group',
      attempts: 4,
      error: new PermanentError('BROKEN', 'it broke'),
      message: message(),
      ...overrides,
    },
    '.dlq',
  )

const textOf = (headers: object | undefined, name: string) => {
  const value = (headers as Record<string, Buffer | undefined>)[name]
  return value?.toString()
}

const firstOf = (headers: object | undefined, name: string) =>
  Object.entries(headers ?? {}).find(([key]) => key === name)?.[1][0]

/** As Kafka counts them: each name and value with the varint of its length. */
const wireSizeOf = (headers: object | undefined): number => {
  const varint = (length: number) => (length < 64 ? 1 : length < 8_192 ? 2 : 3)
  return Object.entries(headers ?? {})
    .flatMap(([name, values]) => [values].flat().map((value) => [Buffer.byteLength(name), Buffer.byteLength(value)]))
    .flat()
    .reduce((sum, length) => sum + varint(length) + length, 0)
}

describe('a dead letter', () => {
  it('keeps key, value and partition, in the topic with the suffix', () => {
    expect(build()).toMatchObject({
      topic: 'orders.dlq',
      partition: 258,
      key: Buffer.from('key'),
      value: Buffer.from([0, 1, 255]),
    })
  })

  it('keeps a missing key and a missing value', () => {
    const { key, value } = build({ message: { ...message(), key: null, value: null } })
    expect({ key, value }).toEqual({ key: null, value: null })
  })

  it("tells its origin in Spring Kafka's names and encodings", () => {
    expect(build().headers).toMatchObject({
      'kafka_dlt-original-topic': Buffer.from('orders'),
      'kafka_dlt-original-partition': Buffer.from([0, 0, 1, 2]),
      'kafka_dlt-original-offset': Buffer.from('0020000000000001', 'hex'),
      'kafka_dlt-original-timestamp': Buffer.from('0000018bcfe56800', 'hex'),
      'kafka_dlt-original-consumer-group': Buffer.from('orders-group'),
      'kafka_dlt-exception-fqcn': Buffer.from('PermanentError.BROKEN'),
      'kafka_dlt-exception-message': Buffer.from('it broke'),
      'dropbell-attempts': Buffer.from('4'),
      'dropbell-replay-count': Buffer.from('0'),
    })
    expect(textOf(build().headers, 'kafka_dlt-exception-stacktrace')).toMatch(/it broke\n +at /)
  })

  it('has the stacks of all causes', () => {
    const cause = new TypeError('socket closed')
    const stack = textOf(
      build({ error: new DropbellError('A', 'a', { cause }) }).headers,
      'kafka_dlt-exception-stacktrace',
    )
    expect(stack).toMatch(/\nCaused by: TypeError: socket closed\n/)
  })

  it.each([
    ['a bug', new TypeError('x'), 'TypeError', 'x'],
    ['a text', 'just a text', 'string', 'just a text'],
  ])('names %s that was thrown', (_, error, name, text) => {
    const { headers } = build({ error })
    expect(textOf(headers, 'kafka_dlt-exception-fqcn')).toBe(name)
    expect(textOf(headers, 'kafka_dlt-exception-message')).toBe(text)
  })

  it('writes no credentials', () => {
    const { headers } = build({ error: new Error('refused by redis://user:hunter2@cache') })
    expect(JSON.stringify(Object.values(headers ?? {}).map(String))).not.toContain('hunter2')
  })

  it('keeps the headers of the record, repeated ones too, byte for byte', () => {
    const headers = {
      traceparent: Buffer.from('00-a'),
      raw: Buffer.from([0, 255]),
      twice: [Buffer.from('1'), Buffer.from('2')],
    }
    expect(build({ message: message(headers) }).headers).toMatchObject({
      traceparent: [Buffer.from('00-a')],
      raw: [Buffer.from([0, 255])],
      twice: [Buffer.from('1'), Buffer.from('2')],
    })
  })

  it('has an empty header where the record has one without value, which kafkajs cannot write', () => {
    expect(build({ message: message({ none: null }) }).headers).toMatchObject({ none: [Buffer.alloc(0)] })
  })

  it('replaces the headers of an earlier failure, carries the replay count on, and keeps what others wrote', () => {
    const headers = {
      'kafka_dlt-original-topic': Buffer.from('elsewhere'),
      'kafka_dlt-exception-message': Buffer.from('earlier'),
      'kafka_dlt-original-timestamp-type': Buffer.from('CreateTime'),
      'dropbell-attempts': Buffer.from('1'),
      'dropbell-replay-count': Buffer.from('2'),
    }
    expect(build({ message: message(headers) }).headers).toMatchObject({
      'kafka_dlt-original-topic': Buffer.from('orders'),
      'kafka_dlt-exception-message': Buffer.from('it broke'),
      'kafka_dlt-original-timestamp-type': [Buffer.from('CreateTime')],
      'dropbell-attempts': Buffer.from('4'),
      'dropbell-replay-count': Buffer.from('2'),
    })
  })

  describe('with much to tell', () => {
    const long = new Error('m'.repeat(3_000))
    long.stack = `Error: m\n${'    at somewhere (file.ts:1:1)\n'.repeat(500)}`

    it('cuts message and stack so that all headers stay under 4 KiB, and uses the room', () => {
      const size = wireSizeOf(build({ error: long }).headers)
      expect(size).toBeLessThan(4_096)
      expect(size).toBeGreaterThan(4_000)
    })

    it.each([500, 2_000, 3_000, 3_400, 3_500])('counts the %i bytes of the headers that the record had', (length) => {
      const { headers } = build({ error: long, message: message({ big: Buffer.alloc(length) }) })
      expect(wireSizeOf(headers)).toBeLessThan(4_096)
      expect(firstOf(headers, 'big')).toHaveLength(length)
    })

    it('keeps headers of the record that are too large already, and leaves out what has no room', () => {
      const { headers } = build({ error: long, message: message({ big: Buffer.alloc(5_000) }) })
      expect(firstOf(headers, 'big')).toHaveLength(5_000)
      expect(headers).not.toHaveProperty('kafka_dlt-exception-stacktrace')
      expect(headers).toHaveProperty('kafka_dlt-original-offset')
    })

    it('cuts no character in two', () => {
      for (const padding of ['', 'a', 'ab', 'abc']) {
        const text = textOf(
          build({ error: new Error(`${padding}${'가😀'.repeat(400)}`) }).headers,
          'kafka_dlt-exception-message',
        )
        expect(text).not.toContain('\ufffd')
        expect(Buffer.byteLength(text ?? '')).toBeGreaterThan(1_015)
      }
    })
  })
})

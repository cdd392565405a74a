import { describe, expect, it } from 'vitest'
import type { AvroSchema } from './contract.ts'
import { parseAvro } from './strict-avro.ts'

const varint = (value: bigint): number[] => {
  let left = value >= 0n ? value * 2n : -value * 2n - 1n
  const bytes: number[] = []
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128)
  return [...bytes, Number(left)]
}

const recordOf = (type: AvroSchema): AvroSchema => ({ type: 'record', name: 'R', fields: [{ name: 'field', type }] })
const strings: AvroSchema = { type: 'array', items: 'string' }
const counts: AvroSchema = { type: 'map', values: 'int' }

describe('bytes that lie about their size', () => {
  const lies: [string, number[]][] = [
    ['more items than there are bytes', varint(2n ** 40n)],
    ['a negative count beyond all bytes', [...varint(-(2n ** 40n)), ...varint(8n)]],
    ['a block that ends before it begins', [...varint(-1n), ...varint(-3n)]],
    ['a string longer than the record', [...varint(1n), ...varint(2n ** 33n)]],
  ]

  for (const [kind, type] of Object.entries({ array: strings, map: counts })) {
    it.each(lies)(`are refused in a ${kind} that is read: %s`, (_, bytes) => {
      expect(() => parseAvro(type).fromBuffer(Buffer.from([...bytes, 0]))).toThrow()
    })

    it.each(lies)(`are refused in a ${kind} that is skipped: %s`, (_, bytes) => {
      const writer = parseAvro(recordOf(type))
      const reader = parseAvro({ type: 'record', name: 'R', fields: [] })
      expect(() => reader.fromBuffer(Buffer.from([...bytes, 0]), reader.createResolver(writer))).toThrow()
    })

    it(`do not stop an honest ${kind} in blocks with sizes from being read and skipped`, () => {
      const value = kind === 'array' ? ['a', 'b'] : { a: 1, b: 2 }
      const [count = 0, ...items] = parseAvro(type).toBuffer(value)
      const withSize = Buffer.from([...varint(-BigInt(count / 2)), ...varint(BigInt(items.length - 1)), ...items])
      expect(parseAvro(type).fromBuffer(withSize)).toEqual(value)
      const reader = parseAvro({ type: 'record', name: 'R', fields: [] })
      expect(reader.fromBuffer(withSize, reader.createResolver(parseAvro(recordOf(type))))).toEqual({})
    })
  }

  it('are refused where an int has more than 32 bits', () => {
    expect(parseAvro('int').fromBuffer(Buffer.from(varint(-(2n ** 31n))))).toBe(-(2 ** 31))
    expect(() => parseAvro('int').fromBuffer(Buffer.from(varint(2n ** 31n)))).toThrow('32 bits')
  })

  it('are refused where a long is beyond what a number can hold', () => {
    expect(() => parseAvro('long').fromBuffer(Buffer.from(varint(2n ** 60n)))).toThrow()
  })
})

describe('reading as a wider type', () => {
  it('takes an int for a float or a long', () => {
    const bytes = parseAvro('int').toBuffer(7)
    for (const wider of ['float', 'long', 'double']) {
      const reader = parseAvro(wider)
      expect(reader.fromBuffer(bytes, reader.createResolver(parseAvro('int')))).toBe(7)
    }
  })
})

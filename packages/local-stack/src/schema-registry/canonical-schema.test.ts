import { describe, expect, test } from 'vitest'
import { readSchema } from './canonical-schema.ts'

const canonical = (schema: unknown) => readSchema(JSON.stringify(schema)).text
const record = (...fields: unknown[]) => ({ type: 'record', name: 'R', fields })

describe('two schemas are the same', () => {
  test('whatever their blanks, key order and spelling of names', () => {
    const spread = `{
      "fields": [ { "type": { "type": "string" }, "name": "a" } ],
      "name": "com.shop.R", "type": "record"
    }`
    const packed = '{"type":"record","name":"R","namespace":"com.shop","fields":[{"name":"a","type":"string"}]}'
    expect(readSchema(spread).text).toBe(packed)
    expect(readSchema(packed).text).toBe(packed)
  })

  test('when a type is referred to by its short or its full name', () => {
    const withReference = (name: string) => ({
      type: 'record',
      name: 'a.b.R',
      fields: [
        { name: 'x', type: { type: 'enum', name: 'E', symbols: ['A'] } },
        { name: 'y', type: ['null', name], default: null },
      ],
    })
    expect(canonical(withReference('a.b.E'))).toBe(canonical(withReference('E')))
    expect(canonical(withReference('E'))).toBe(
      '{"type":"record","name":"R","namespace":"a.b","fields":[{"name":"x","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"y","type":["null","E"],"default":null}]}',
    )
  })
})

describe('two schemas differ', () => {
  const plain = canonical(record({ name: 't', type: 'long' }))

  test.each([
    ['by a doc', record({ name: 't', type: 'long', doc: 'when' })],
    ['by a default', record({ name: 't', type: 'long', default: 0 })],
    ['by an alias', record({ name: 't', type: 'long', aliases: ['time'] })],
    ['by a logicalType beside the type', record({ name: 't', type: 'long', logicalType: 'timestamp-millis' })],
    [
      'by a logicalType inside the type',
      record({ name: 't', type: { type: 'long', logicalType: 'timestamp-millis' } }),
    ],
    ['by a namespace', { ...record({ name: 't', type: 'long' }), namespace: 'n' }],
  ])('%s', (_what, schema) => {
    expect(canonical(schema)).not.toBe(plain)
  })

  test('by the place of a logicalType', () => {
    const beside = record({ name: 't', type: 'long', logicalType: 'timestamp-millis' })
    const inside = record({ name: 't', type: { type: 'long', logicalType: 'timestamp-millis' } })
    expect(canonical(beside)).toContain('{"name":"t","type":"long","logicalType":"timestamp-millis"}')
    expect(canonical(inside)).toContain('{"name":"t","type":{"type":"long","logicalType":"timestamp-millis"}}')
  })
})

test('prints everything in the order of Avro for Java', () => {
  const schema = {
    aliases: ['Old', 'x.Older'],
    doc: 'd',
    custom: { b: 1, a: [2.5] },
    fields: [
      { aliases: ['g'], order: 'descending', default: 1.0, doc: 'f', type: 'double', name: 'f', extra: true },
      { name: 'next', type: ['null', 'R'], default: null },
      { name: 'raw', type: { type: 'fixed', name: 'F', namespace: '', size: 4, logicalType: 'duration' } },
      { name: 'e', type: { default: 'A', symbols: ['A', 'B'], type: 'enum', name: 'E', doc: 'e' } },
      { name: 'm', type: { type: 'map', values: { type: 'array', items: 'E' } } },
    ],
    namespace: 'n.s',
    name: 'R',
    type: 'record',
  }
  const text = JSON.stringify(schema).replace('"default":1,', '"default":1.0,')
  expect(readSchema(text).text).toBe(
    '{"type":"record","name":"R","namespace":"n.s","doc":"d","fields":[' +
      '{"name":"f","type":"double","doc":"f","default":1.0,"order":"descending","aliases":["g"],"extra":true},' +
      '{"name":"next","type":["null","R"],"default":null},' +
      '{"name":"raw","type":{"type":"fixed","name":"F","namespace":"","size":4,"logicalType":"duration"}},' +
      '{"name":"e","type":{"type":"enum","name":"E","doc":"e","symbols":["A","B"],"default":"A"}},' +
      '{"name":"m","type":{"type":"map","values":{"type":"array","items":"E"}}}' +
      '],"custom":{"b":1,"a":[2.5]},"aliases":["Old","x.Older"]}',
  )
})

test('reads a bare primitive', () => {
  expect(readSchema('"string"').text).toBe('"string"')
  expect(readSchema('{"type":"string"}').text).toBe('"string"')
})

describe('refuses', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'int' : { type: 'array', items: nested(depth - 1) })

  test.each<[string, string, RegExp]>([
    ['text that is no JSON', '{"type":', /JSON/],
    [
      'a type nobody defined',
      JSON.stringify(record({ name: 'a', type: 'Money' })),
      /undefined type name: Money .*fields\/0/,
    ],
    ['a record without fields', '{"type":"record","name":"R"}', /no "fields"/],
    ['a record without a name', '{"type":"record","fields":[]}', /no "name"/],
    ['an illegal name', JSON.stringify(record({ name: 'pri-ce', type: 'int' })), /illegal name: "pri-ce"/],
    ['an illegal namespace', '{"type":"record","name":"R","namespace":"a..b","fields":[]}', /illegal name/],
    [
      'a second field of one name',
      JSON.stringify(record({ name: 'a', type: 'int' }, { name: 'a', type: 'int' })),
      /duplicate field a/,
    ],
    ['a second definition', JSON.stringify(record({ name: 'a', type: record() })), /redefine: R/],
    ['a default that does not fit', JSON.stringify(record({ name: 'a', type: 'int', default: 'x' })), /default "x"/],
    [
      'a default of another branch',
      JSON.stringify(record({ name: 'a', type: ['int', 'null'], default: null })),
      /default null/,
    ],
    ['a union in a union', '["null",["int"]]', /directly nested/],
    ['a union with twins', '["int",{"type":"int"}]', /duplicate in union: int/],
    ['a doubled enum symbol', '{"type":"enum","name":"E","symbols":["A","A"]}', /duplicate symbol/],
    ['a default that is no symbol', '{"type":"enum","name":"E","symbols":["A"],"default":"B"}', /enum default/],
    ['a fixed without a size', '{"type":"fixed","name":"F"}', /size/],
    ['a type that is no text', '{"type":{"type":"int"}}', /"type"/],
    ['a number', '42', /not a schema/],
    ['absurd nesting', JSON.stringify(nested(600)), /levels deep/],
  ])('%s, with words that tell', (_what, text, words) => {
    expect(() => readSchema(text)).toThrow(expect.objectContaining({ status: 422, code: 42201 }))
    expect(() => readSchema(text)).toThrow(words)
  })
})

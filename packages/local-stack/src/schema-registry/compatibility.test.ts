import { describe, expect, test } from 'vitest'
import { findIncompatibilities } from './compatibility.ts'
import { parseAvro } from './parse-avro.ts'
import { parseJson } from './parse-json.ts'

const find = (reader: unknown, writer: unknown) =>
  findIncompatibilities(parseAvro(parseJson(JSON.stringify(reader))), parseAvro(parseJson(JSON.stringify(writer))))
const record = (...fields: unknown[]) => ({ type: 'record', name: 'R', fields })
const named = (name: string, ...fields: unknown[]) => ({ type: 'record', name, fields })
const colour = (...symbols: string[]) => ({ type: 'enum', name: 'Colour', symbols })

describe('a reader can read', () => {
  test.each<[string, unknown, unknown]>([
    ['the same', record({ name: 'a', type: 'int' }), record({ name: 'a', type: 'int' })],
    ['a writer without a field that has a default', record({ name: 'a', type: 'int', default: 1 }), record()],
    ['a default of null', record({ name: 'a', type: ['null', 'int'], default: null }), record()],
    ['a writer with a field more', record(), record({ name: 'a', type: 'int' })],
    [
      'a field under its old name',
      record({ name: 'b', aliases: ['a'], type: 'int' }),
      record({ name: 'a', type: 'int' }),
    ],
    ['a record under its old name', { ...named('N'), aliases: ['o.O'] }, { ...named('O'), namespace: 'o' }],
    ['a record of another namespace', { ...record(), namespace: 'a' }, { ...record(), namespace: 'b' }],
    ['fewer enum symbols', colour('RED', 'BLUE'), colour('RED')],
    ['unknown enum symbols, with a default', { ...colour('RED'), default: 'RED' }, colour('RED', 'BLUE')],
    ['a value it may miss', ['null', 'int'], 'int'],
    ['a union of which it has every branch', ['null', 'int', 'string'], ['string', 'null']],
    ['a union whose only branch it is', 'long', ['int', 'long']],
    [
      'a logicalType at another place',
      record({ name: 't', type: { type: 'long', logicalType: 'timestamp-millis' } }),
      record({ name: 't', type: 'long', logicalType: 'timestamp-millis' }),
    ],
    ['int as long', 'long', 'int'],
    ['long as float', 'float', 'long'],
    ['float as double', 'double', 'float'],
    ['bytes as string', 'string', 'bytes'],
    ['string as bytes', 'bytes', 'string'],
    ['a list of itself', record({ name: 'next', type: ['null', 'R'] }), record({ name: 'next', type: ['null', 'R'] })],
  ])('%s', (_what, reader, writer) => {
    expect(find(reader, writer)).toEqual([])
  })
})

describe('a reader cannot read, and is told the field', () => {
  test.each<[string, unknown, unknown, object]>([
    [
      'a missing field without default',
      record({ name: 'price', type: 'int' }),
      record(),
      { kind: 'READER_FIELD_MISSING_DEFAULT_VALUE', field: 'price', path: '/fields/0' },
    ],
    [
      'another type',
      record({ name: 'a', type: 'int' }),
      record({ name: 'a', type: 'string' }),
      {
        kind: 'TYPE_MISMATCH',
        field: 'a',
        path: '/fields/0/type',
        detail: 'reader type: INT not compatible with writer type: STRING',
      },
    ],
    [
      'a narrowed number',
      record({ name: 'a', type: 'int' }),
      record({ name: 'a', type: 'long' }),
      { kind: 'TYPE_MISMATCH', field: 'a' },
    ],
    ['another name', named('A'), named('B'), { kind: 'NAME_MISMATCH', field: '', path: '/name' }],
    [
      'another size',
      record({ name: 'f', type: { type: 'fixed', name: 'F', size: 1 } }),
      record({ name: 'f', type: { type: 'fixed', name: 'F', size: 2 } }),
      { kind: 'FIXED_SIZE_MISMATCH', field: 'f', detail: 'expected: 2, found: 1' },
    ],
    [
      'a new enum symbol in a list',
      record({ name: 'cs', type: { type: 'array', items: colour('RED') } }),
      record({ name: 'cs', type: { type: 'array', items: colour('RED', 'BLUE', 'GREEN') } }),
      { kind: 'MISSING_ENUM_SYMBOLS', field: 'cs[]', detail: '[BLUE, GREEN]' },
    ],
    [
      'a map of something else',
      record({ name: 'm', type: { type: 'map', values: 'int' } }),
      record({ name: 'm', type: { type: 'map', values: 'string' } }),
      { kind: 'TYPE_MISMATCH', field: 'm{}' },
    ],
    [
      'a branch it lacks',
      record({ name: 'u', type: ['null', 'int'] }),
      record({ name: 'u', type: ['null', 'string'] }),
      { kind: 'MISSING_UNION_BRANCH', field: 'u', detail: 'reader union lacking writer type: STRING' },
    ],
    [
      'null',
      record({ name: 'n', type: 'int' }),
      record({ name: 'n', type: ['null', 'int'] }),
      { kind: 'TYPE_MISMATCH', field: 'n' },
    ],
    [
      'a field deep inside a nullable record',
      record({ name: 'o', type: ['null', named('O', { name: 'x', type: 'int' })] }),
      record({ name: 'o', type: ['null', named('O')] }),
      { kind: 'READER_FIELD_MISSING_DEFAULT_VALUE', field: 'o.x', path: '/fields/0/type/1/fields/0' },
    ],
    [
      'two fields for one',
      record({ name: 'b', aliases: ['a'], type: 'int' }),
      record({ name: 'a', type: 'int' }, { name: 'b', type: 'int' }),
      { kind: 'NAME_MISMATCH', field: 'b' },
    ],
  ])('%s', (_what, reader, writer, expected) => {
    expect(find(reader, writer)).toEqual([expect.objectContaining(expected)])
  })

  test('every difference at once', () => {
    const reader = record({ name: 'a', type: 'int' }, { name: 'b', type: 'int' }, { name: 'c', type: 'int' })
    const found = find(reader, record({ name: 'b', type: 'string' }))
    expect(found.map(({ field }) => field)).toEqual(['a', 'b', 'c'])
  })
})

test('does not conclude from an assumption that turned out wrong', () => {
  // N meets itself inside W and is assumed to fit, so W fits; then N fails by `x`, and `self` falls back on Other.
  // `later` needs W without that assumption.
  const link = named('W', { name: 'n', type: 'N' })
  const reader = named(
    'Root',
    {
      name: 'self',
      type: [named('N', { name: 'w', type: link }, { name: 'x', type: 'int' }), { ...named('Other'), aliases: ['N'] }],
    },
    { name: 'later', type: 'W' },
  )
  const writer = named(
    'Root',
    { name: 'self', type: named('N', { name: 'w', type: link }) },
    { name: 'later', type: 'W' },
  )
  expect(find(reader, writer)).toEqual([
    expect.objectContaining({ kind: 'READER_FIELD_MISSING_DEFAULT_VALUE', path: expect.stringMatching(/fields\/1$/) }),
  ])
})

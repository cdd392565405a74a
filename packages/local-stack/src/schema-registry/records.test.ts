import { describe, expect, test } from 'vitest'
import { decodeRecord, encodeRecord, type RegistryRecord } from './records.ts'

const value = { subject: 's', version: 2, id: 7, schema: '"string"', deleted: false }

/** Byte for byte: compaction compares keys as bytes, so another order would be another key. */
const KNOWN: [string, RegistryRecord, string, string | null][] = [
  [
    'a version',
    { keytype: 'SCHEMA', subject: 's', version: 2, value },
    '{"keytype":"SCHEMA","subject":"s","version":2,"magic":1}',
    '{"subject":"s","version":2,"id":7,"schema":"\\"string\\"","deleted":false}',
  ],
  [
    'a version that is gone for good',
    { keytype: 'SCHEMA', subject: 's', version: 2 },
    '{"keytype":"SCHEMA","subject":"s","version":2,"magic":1}',
    null,
  ],
  [
    'a level of a subject',
    { keytype: 'CONFIG', subject: 's', level: 'FULL' },
    '{"keytype":"CONFIG","subject":"s","magic":0}',
    '{"compatibilityLevel":"FULL"}',
  ],
  [
    'the global level',
    { keytype: 'CONFIG', subject: undefined, level: 'NONE' },
    '{"keytype":"CONFIG","subject":null,"magic":0}',
    '{"compatibilityLevel":"NONE"}',
  ],
  ['a level that is gone', { keytype: 'CONFIG', subject: 's' }, '{"keytype":"CONFIG","subject":"s","magic":0}', null],
  [
    'a deleted subject',
    { keytype: 'DELETE_SUBJECT', subject: 's', upTo: 3 },
    '{"keytype":"DELETE_SUBJECT","subject":"s","magic":0}',
    '{"subject":"s","version":3}',
  ],
  [
    'a cleared subject',
    { keytype: 'CLEAR_SUBJECT', subject: 's' },
    '{"keytype":"CLEAR_SUBJECT","subject":"s","magic":0}',
    '{"subject":"s"}',
  ],
  ['nothing', { keytype: 'NOOP' }, '{"keytype":"NOOP","magic":0}', null],
]

describe('writes what Confluent writes for', () => {
  test.each(KNOWN)('%s', (_what, record, key, encodedValue) => {
    expect(encodeRecord(record)).toEqual({ key, value: encodedValue })
  })
})

const decode = (key: string, encodedValue: string | null) =>
  decodeRecord(Buffer.from(key), encodedValue === null ? null : Buffer.from(encodedValue))

describe('reads what Confluent writes for', () => {
  test.each(KNOWN)('%s', (_what, record, key, encodedValue) => {
    expect(decode(key, encodedValue)).toEqual(record)
  })

  test('keys of the first format and values without the deleted flag', () => {
    const record = decode(
      '{"subject":"s","version":1,"magic":0,"keytype":"SCHEMA"}',
      JSON.stringify({ subject: 's', version: 1, id: 1, schema: '"int"' }),
    )
    expect(record).toEqual({
      keytype: 'SCHEMA',
      subject: 's',
      version: 1,
      value: { subject: 's', version: 1, id: 1, schema: '"int"', deleted: false },
    })
  })

  test('a global level whose key leaves the subject out', () => {
    expect(decode('{"keytype":"CONFIG","magic":0}', '{"compatibilityLevel":"FULL"}')).toEqual({
      keytype: 'CONFIG',
      subject: undefined,
      level: 'FULL',
    })
  })

  test('fields of a newer registry, and writes them back', () => {
    const key = '{"keytype":"SCHEMA","subject":"s","version":2,"magic":1}'
    const newer =
      '{"subject":"s","version":2,"id":7,"guid":"g","metadata":{"owner":"x"},"schema":"\\"int\\"","deleted":false}'
    const record = decode(key, newer)
    expect(record && encodeRecord(record)).toEqual({ key, value: newer })
  })
})

describe('passes over', () => {
  test.each<[string, string, string | null]>([
    ['a key that is no JSON', 'hello', null],
    ['a key that is no object', '42', null],
    ['a value that is no JSON', '{"keytype":"CONFIG","subject":"s","magic":0}', 'hello'],
    [
      'a version without an id',
      '{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}',
      '{"subject":"s","version":1}',
    ],
    ['a mode', '{"keytype":"MODE","subject":null,"magic":0}', '{"mode":"READWRITE"}'],
    ['a tombstone of a deleted subject', '{"keytype":"DELETE_SUBJECT","subject":"s","magic":0}', null],
  ])('%s', (_what, key, encodedValue) => {
    expect(decode(key, encodedValue)).toBeUndefined()
  })

  test('a record without a key', () => {
    expect(decodeRecord(null, Buffer.from('{}'))).toBeUndefined()
  })
})

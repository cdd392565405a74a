import { beforeEach, describe, expect, test } from 'vitest'
import type { RegistryRecord } from './records.ts'
import { createRegistryStore, type RegistryStore } from './registry-store.ts'

let store: RegistryStore
beforeEach(() => {
  store = createRegistryStore()
})

const schema = (
  subject: string,
  version: number,
  id: number,
  text = `{"type":"record","name":"R${id}","fields":[]}`,
  deleted = false,
): RegistryRecord => ({
  keytype: 'SCHEMA',
  subject,
  version,
  value: { subject, version, id, schema: text, deleted },
})
const tombstone = (subject: string, version: number): RegistryRecord => ({ keytype: 'SCHEMA', subject, version })
const applyAll = (...records: RegistryRecord[]) => records.map((record) => store.apply(record))
const versions = (subject: string, deleted = false) =>
  store.versionsOf(subject, { deleted }).map((stored) => stored.version)

describe('versions', () => {
  test('are listed in their order, also when they were written in another', () => {
    applyAll(schema('s', 10, 3), schema('s', 2, 2), schema('s', 1, 1))
    expect(versions('s')).toEqual([1, 2, 10])
    expect(store.nextVersion('s')).toBe(11)
  })

  test('hide when deleted, and are gone when tombstoned', () => {
    applyAll(schema('s', 1, 1), schema('s', 2, 2), schema('s', 1, 1, undefined, true))
    expect([versions('s'), versions('s', true)]).toEqual([[2], [1, 2]])
    applyAll(tombstone('s', 1), tombstone('s', 2))
    expect(versions('s', true)).toEqual([])
    expect(store.subjects({ deleted: true })).toEqual([])
  })

  test('of a deleted subject hide up to the given one; later ones do not', () => {
    applyAll(
      schema('s', 1, 1),
      schema('s', 2, 2),
      { keytype: 'DELETE_SUBJECT', subject: 's', upTo: 2 },
      schema('s', 3, 3),
    )
    expect([versions('s'), versions('s', true)]).toEqual([[3], [1, 2, 3]])
  })

  test('that are deleted go when the subject is cleared', () => {
    applyAll(schema('s', 1, 1, undefined, true), schema('s', 2, 2), { keytype: 'CLEAR_SUBJECT', subject: 's' })
    expect(versions('s', true)).toEqual([2])
  })
})

describe('ids', () => {
  test('belong to a schema whatever its spelling, across subjects, also when it is deleted', () => {
    applyAll(schema('s', 1, 1, '"int"'), schema('t', 1, 1, '{ "type": "int" }', true))
    expect(store.idOf('"int"')).toBe(1)
    expect(store.withId(1).map(({ subject }) => subject)).toEqual(['s'])
    expect(store.withId(1, { deleted: true }).map(({ subject }) => subject)).toEqual(['s', 't'])
  })

  test('are forgotten with the last place of their schema, and not handed out again', () => {
    applyAll(schema('s', 1, 5, '"int"'), tombstone('s', 1))
    expect(store.idOf('"int"')).toBeUndefined()
    expect(store.withId(5, { deleted: true })).toEqual([])
    expect(store.nextId()).toBe(6)
  })

  test('stay with the first schema that claimed them', () => {
    expect(applyAll(schema('s', 1, 1, '"int"'), schema('t', 1, 1, '"long"'))).toEqual([true, false])
    expect(store.withId(1).map((stored) => stored.schema)).toEqual(['"int"'])
    expect(versions('t')).toEqual([])
  })
})

test('a version stays with the schema that claimed it first', () => {
  expect(applyAll(schema('s', 1, 1, '"int"'), schema('s', 1, 2, '"long"'))).toEqual([true, false])
  expect(store.versionsOf('s')[0]).toMatchObject({ id: 1, schema: '"int"' })
  expect(store.nextId()).toBe(3)
})

test('folding the same records twice changes nothing', () => {
  const records = [schema('s', 1, 1), schema('s', 2, 2), schema('s', 1, 1, undefined, true)]
  applyAll(...records)
  const before = store.versionsOf('s', { deleted: true })
  applyAll(...records)
  expect(store.versionsOf('s', { deleted: true })).toEqual(before)
})

test('serves what it does not understand: another type of schema, references, an Avro of old', () => {
  const proto: RegistryRecord = {
    keytype: 'SCHEMA',
    subject: 'p',
    version: 1,
    value: { subject: 'p', version: 1, id: 1, schema: 'message M {}', deleted: false, schemaType: 'PROTOBUF' },
  }
  expect(applyAll(proto, schema('odd', 1, 2, '{"type":"record","name":"a-b","fields":[]}'))).toEqual([true, true])
  expect(store.withId(1)[0]).toMatchObject({ schema: 'message M {}', schemaType: 'PROTOBUF', type: undefined })
  expect(store.withId(2)[0]).toMatchObject({ type: undefined })
})

test('levels fall back from the subject to the global one to BACKWARD', () => {
  expect(store.levelOf('s')).toBe('BACKWARD')
  store.apply({ keytype: 'CONFIG', subject: undefined, level: 'FULL' })
  expect(store.levelOf('s')).toBe('FULL')
  store.apply({ keytype: 'CONFIG', subject: 's', level: 'NONE' })
  expect([store.levelOf('s'), store.configuredLevel('t')]).toEqual(['NONE', undefined])
  store.apply({ keytype: 'CONFIG', subject: 's' })
  store.apply({ keytype: 'CONFIG', subject: undefined })
  expect(store.levelOf('s')).toBe('BACKWARD')
})

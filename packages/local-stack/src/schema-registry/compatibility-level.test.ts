import { describe, expect, test } from 'vitest'
import { readSchema } from './canonical-schema.ts'
import { type CompatibilityLevel, judgeSchema, parseLevel } from './compatibility-level.ts'

const withFields = (...fields: object[]) => JSON.stringify({ type: 'record', name: 'R', fields })
const a = { name: 'a', type: 'int' }
const b = { name: 'b', type: 'int' }
const bOptional = { name: 'b', type: 'int', default: 0 }

const judge = (level: CompatibilityLevel, candidate: string, ...history: string[]) =>
  judgeSchema(
    level,
    readSchema(candidate).type,
    history.map((schema, index) => ({ version: index + 1, schema, type: readSchema(schema).type })),
  )

describe('against the latest version', () => {
  test.each<[CompatibilityLevel, boolean, boolean]>([
    ['NONE', true, true],
    ['BACKWARD', false, true],
    ['FORWARD', true, false],
    ['FULL', false, false],
  ])('%s takes an added field without default: %s, and a removed one: %s', (level, added, removed) => {
    expect(judge(level, withFields(a, b), withFields(a)).length === 0).toBe(added)
    expect(judge(level, withFields(a), withFields(a, b)).length === 0).toBe(removed)
  })

  test.each<CompatibilityLevel>(['BACKWARD', 'FORWARD', 'FULL'])('%s takes an added field with a default', (level) => {
    expect(judge(level, withFields(a, bOptional), withFields(a))).toEqual([])
  })
})

describe('against all versions', () => {
  // `b` is missing in the first version, optional in the second, required in the third.
  test('BACKWARD asks the latest only, BACKWARD_TRANSITIVE every one', () => {
    const history = [withFields(a), withFields(a, bOptional)] as const
    expect(judge('BACKWARD', withFields(a, b), ...history)).toEqual([])
    expect(judge('BACKWARD_TRANSITIVE', withFields(a, b), ...history).join()).toContain('{oldSchemaVersion: 1}')
  })

  test('FORWARD asks the latest only, FORWARD_TRANSITIVE every one', () => {
    const history = [withFields(a, b), withFields(a, bOptional)] as const
    expect(judge('FORWARD', withFields(a), ...history)).toEqual([])
    expect(judge('FORWARD_TRANSITIVE', withFields(a), ...history).join()).toContain('{oldSchemaVersion: 1}')
  })

  test('FULL_TRANSITIVE asks both ways', () => {
    expect(judge('FULL', withFields(a), withFields(a, b), withFields(a, bOptional))).toEqual([])
    expect(judge('FULL_TRANSITIVE', withFields(a), withFields(a, b), withFields(a, bOptional))).not.toEqual([])
    expect(judge('FULL_TRANSITIVE', withFields(a, b), withFields(a), withFields(a, bOptional))).not.toEqual([])
  })
})

test('says what is wrong, with which field, from whose side, and with which version', () => {
  expect(judge('BACKWARD', withFields(a, b), withFields(a))).toEqual([
    "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'b' at path '/fields/1' in the new schema has no default value and is missing in the old schema', additionalInfo:'b'}",
    '{oldSchemaVersion: 1}',
    `{oldSchema: '${withFields(a)}'}`,
    "{compatibility: 'BACKWARD'}",
  ])
  expect(judge('FORWARD', withFields(a), withFields(a, b))[0]).toContain(
    "The field 'b' at path '/fields/1' in the old schema has no default value and is missing in the new schema",
  )
  expect(judge('BACKWARD', withFields({ name: 'a', type: 'string' }), withFields(a))[0]).toContain("field 'a'")
})

test('finds nothing to compare with in a schema that is no Avro', () => {
  const [message] = judgeSchema('FULL', readSchema('"int"').type, [{ version: 1, schema: 'proto', type: undefined }])
  expect(message).toBe('Incompatible because of different schema type')
})

test('reads level names in any case, and no others', () => {
  expect(parseLevel('full_transitive')).toBe('FULL_TRANSITIVE')
  expect(parseLevel('SIDEWAYS')).toBeUndefined()
  expect(parseLevel(undefined)).toBeUndefined()
})

import { describe, expect, it } from 'vitest'
import type { AvroTypeDefinition, SchemaHistory } from './contract.ts'
import { compareWithLock, extendLock } from './history-lock.ts'

const schema = (doc: string): AvroTypeDefinition => ({ type: 'record', name: 'Thing', doc, fields: [] })
const thing = (...docs: string[]): SchemaHistory => ({
  name: 'Thing',
  versions: docs.map((doc, index) => ({ version: index + 1, schema: schema(doc) })),
})

const lock = extendLock({}, [thing('one', 'two')])

describe('the lock on the history', () => {
  it('accepts what it was made from', () => {
    expect(compareWithLock([thing('one', 'two')], lock)).toEqual([])
  })

  it('notices a changed, a removed and a new version', () => {
    expect(compareWithLock([thing('one', 'changed')], lock)).toEqual([expect.stringContaining('Thing v2 was changed')])
    expect(compareWithLock([thing('one')], lock)).toEqual([expect.stringContaining('Thing v2 was removed')])
    expect(compareWithLock([], lock)).toHaveLength(2)
    expect(compareWithLock([thing('one', 'two', 'three')], lock)).toEqual([expect.stringContaining('Thing v3 is new')])
  })

  it('takes new versions in without touching the old ones, even where those were changed', () => {
    const extended = extendLock(lock, [thing('changed', 'two', 'three')])
    expect(extended.Thing).toMatchObject(lock.Thing ?? {})
    expect(Object.keys(extended.Thing ?? {})).toEqual(['1', '2', '3'])
  })
})

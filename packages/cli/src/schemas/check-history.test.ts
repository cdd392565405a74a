import type { AvroTypeDefinition, SchemaHistory } from '@dropbell/schemas/contract'
import { extendLock } from '@dropbell/schemas/history-lock'
import { expect, it } from 'vitest'
import { findHistoryFaults } from './check-history.ts'

const recordOf = (
  name: string,
  ...fields: { name: string; type: string; default?: unknown }[]
): AvroTypeDefinition => ({
  type: 'record',
  name,
  fields,
})
const id = { name: 'id', type: 'string' }
const note = { name: 'note', type: 'string' }

const history = (name: string, ...schemas: AvroTypeDefinition[]): SchemaHistory => ({
  name,
  versions: schemas.map((schema, index) => ({ version: index + 1, schema })),
})

const order = history('Order', recordOf('Order', id))
const invoice = history('Invoice', recordOf('Invoice', id))

const check = (files: SchemaHistory[], { committed = files, embedded = files } = {}) =>
  findHistoryFaults({ files, embedded, lock: extendLock({}, committed) })

it('finds nothing wrong with what was committed', () => {
  const { byRecord, general } = check([order, invoice])
  expect([...byRecord]).toEqual([
    ['Order', []],
    ['Invoice', []],
  ])
  expect(general).toEqual([])
})

it('blames the record of which a committed version was changed, and no other', () => {
  const changed = history('Order', recordOf('Order', id, note))
  const { byRecord } = check([changed, invoice], { committed: [order, invoice] })
  expect(byRecord.get('Order')).toEqual([expect.stringContaining('Order v1 was changed')])
  expect(byRecord.get('Invoice')).toEqual([])
})

it('blames a new version that cannot read an old one', () => {
  const grown = history('Order', recordOf('Order', id), recordOf('Order', id, note))
  expect(check([grown]).byRecord.get('Order')).toEqual([expect.stringContaining('Order v2 cannot read v1')])
})

it('takes a new version with a default', () => {
  const grown = history('Order', recordOf('Order', id), recordOf('Order', id, { ...note, default: '' }))
  expect(check([grown]).byRecord.get('Order')).toEqual([])
})

it('notices a committed record that is gone', () => {
  expect(check([order], { committed: [order, invoice] }).general).toEqual([
    expect.stringContaining('Invoice v1 was removed'),
  ])
})

it('notices code that was not generated again', () => {
  const grown = history('Order', recordOf('Order', id), recordOf('Order', id, { ...note, default: '' }))
  expect(check([grown], { embedded: [order] }).byRecord.get('Order')).toEqual([
    expect.stringContaining('run npx pnpm generate'),
  ])
})

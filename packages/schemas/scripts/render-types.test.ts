import { describe, expect, it } from 'vitest'
import type { AvroSchema, AvroTypeDefinition, SchemaHistory } from '../src/contract.ts'
import { renderTypes } from './render-types.ts'
import { findTypeOwners } from './type-owners.ts'

const colour: AvroSchema = {
  type: 'enum',
  name: 'Colour',
  namespace: 'shop.paint',
  symbols: ['RED', 'BLUE'],
  doc: 'A colour.',
}

const history = (name: string, namespace: string, ...fields: object[]): SchemaHistory => ({
  name,
  versions: [{ version: 1, schema: { type: 'record', name, namespace, fields } as unknown as AvroTypeDefinition }],
})

const typeOfField = (type: AvroSchema): string | undefined => {
  const thing = history('Thing', 'shop', { name: 'field', type })
  return /readonly field: (.*)/.exec(renderTypes(thing, findTypeOwners([thing])))?.[1]
}

describe('the types made from a schema', () => {
  it.each<[string, AvroSchema]>([
    ['string', 'string'],
    ['number', { type: 'long', logicalType: 'timestamp-millis' }],
    ['number | null', ['null', 'float']],
    ['Readonly<Record<string, string>>', { type: 'map', values: 'string' }],
    ['readonly Colour[]', { type: 'array', items: colour }],
    ['readonly (string | null)[]', { type: 'array', items: ['null', 'string'] }],
    ['Inner', { type: 'record', name: 'Inner', fields: [{ name: 'id', type: 'string' }] }],
  ])('have %s', (expected, schema) => {
    expect(typeOfField(schema)).toBe(expected)
  })

  it('turn an enum into a union of its symbols', () => {
    const thing = history('Thing', 'shop.paint', { name: 'colour', type: colour })
    const text = renderTypes(thing, findTypeOwners([thing]))
    expect(text).toContain(`export const colourSymbols = ['RED', 'BLUE'] as const`)
    expect(text).toContain('/** A colour. */\nexport type Colour = (typeof colourSymbols)[number]')
  })

  it('declare a repeated type where its namespace is at home and import it elsewhere', () => {
    const away = history('Order', 'shop', { name: 'colour', type: colour })
    const home = history('PaintCan', 'shop.paint', { name: 'colour', type: colour })
    const owners = findTypeOwners([away, home])
    expect(renderTypes(away, owners)).toContain(`import type { Colour } from './paint-can.ts'`)
    expect(renderTypes(away, owners)).not.toContain('export type Colour')
    expect(renderTypes(home, owners)).toContain('export type Colour')
  })

  it('carry every version as data', () => {
    const thing = history('Thing', 'shop', { name: 'id', type: 'string' })
    const text = renderTypes(thing, findTypeOwners([thing]))
    const literal = /schema: (\{[\s\S]*?\n {6}\}),/.exec(text)?.[1] ?? ''
    expect(JSON.parse(literal)).toEqual(thing.versions[0]?.schema)
  })
})

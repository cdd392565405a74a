import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findContractFaults, findDivergingTypes, findIncompatibleVersions } from './compatibility.ts'
import type { AvroTypeDefinition, SchemaHistory } from './contract.ts'
import { extendLock } from './history-lock.ts'
import { readHistoryLock, readSchemaHistories } from './schema-files.ts'
import { TOPICS } from './topics.ts'

const record = (name: string, ...fields: object[]) => ({ type: 'record', name, fields }) as AvroTypeDefinition
const history = (...schemas: AvroTypeDefinition[]): SchemaHistory => ({
  name: schemas[0]?.name ?? '',
  versions: schemas.map((schema, index) => ({ version: index + 1, schema })),
})

const id = { name: 'id', type: 'string' }
const size = { name: 'size', type: ['null', 'int'], default: null }
const colour = (...symbols: string[]) => ({ name: 'colour', type: { type: 'enum', name: 'Colour', symbols } })

const avroFolder = join(import.meta.dirname, '..', 'avro')

describe('the committed schemas', () => {
  it('have no fault', async () => {
    expect(findContractFaults(await readSchemaHistories(avroFolder), await readHistoryLock(avroFolder))).toEqual([])
  })

  it('are the ones the topics carry, every version of them', async () => {
    const committed = await readSchemaHistories(avroFolder)
    const carried = new Map(TOPICS.map(({ contract }) => [contract.name, contract]))
    expect(committed.map(({ name, versions }) => ({ name, versions }))).toEqual(
      [...carried.values()].sort((a, b) => a.name.localeCompare(b.name)),
    )
  })

  it('fail the check when any field of any of them is renamed in place', async () => {
    const committed = await readSchemaHistories(avroFolder)
    const lock = await readHistoryLock(avroFolder)
    for (const { name, versions } of committed) {
      for (const { version, schema } of versions) {
        for (const field of schema.fields ?? []) {
          const fields = schema.fields?.map((each) => (each === field ? { ...each, name: `${each.name}X` } : each))
          const changed = committed.map((each) =>
            each.name !== name
              ? each
              : {
                  name,
                  versions: versions.map((it) =>
                    it.version === version ? { version, schema: { ...schema, fields } } : it,
                  ),
                },
          ) as SchemaHistory[]
          const faults = findContractFaults(changed, lock)
          expect(faults.join('\n')).toContain(`${name} v${version} was changed`)
        }
      }
    }
  })
})

describe('a new version', () => {
  it('may add a field with a default and a symbol', () => {
    const grown = history(record('Thing', id, colour('RED')), record('Thing', id, size, colour('RED', 'BLUE')))
    expect(findIncompatibleVersions(grown)).toEqual([])
  })

  it.each([
    ['adds a field without a default', record('Thing', id), record('Thing', id, { name: 'size', type: 'int' })],
    ['removes a symbol', record('Thing', colour('RED', 'BLUE')), record('Thing', colour('RED'))],
    ['changes a type', record('Thing', id), record('Thing', { name: 'id', type: 'int' })],
    ['changes the name of the record', record('Thing', id), record('Object', id)],
  ])('is refused when it %s', (_, first, second) => {
    expect(findIncompatibleVersions(history(first, second))).toHaveLength(1)
    const names = { ...history(first), versions: history(first, second).versions }
    expect(findContractFaults([names], extendLock({}, [names]))).toHaveLength(1)
  })

  it('must read all earlier versions, not only the last', () => {
    const withInt = record('Thing', { name: 'size', type: 'int', default: 0 })
    const withText = record('Thing', { name: 'size', type: 'string', default: '' })
    const back = history(withInt, record('Thing'), withText)
    expect(findIncompatibleVersions(back)).toEqual([expect.stringContaining('Thing v3 cannot read v1')])
  })
})

describe('a type that several schemas repeat', () => {
  it('must be the same in the newest version of each', () => {
    const one = history(record('One', colour('RED', 'BLUE')))
    const other = history(record('Other', colour('RED')))
    expect(findDivergingTypes([one, other])).toEqual(['Colour differs between One and Other.'])
    expect(
      findDivergingTypes([one, history(other.versions[0]?.schema as never, record('Other', colour('RED', 'BLUE')))]),
    ).toEqual([])
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { RegistryError, storeFailed } from './errors.ts'
import { encodeRecord, type RegistryRecord } from './records.ts'
import { createRegistry, type Registry } from './registry.ts'
import { createRegistryStore, type RegistryStore } from './registry-store.ts'

let store: RegistryStore
let written: RegistryRecord[]
let beforeAppend: () => void
let registry: Registry

const record = (name: string, ...fields: object[]) => JSON.stringify({ type: 'record', name, fields })
const rival = (subject: string, version: number, id: number, schema: string) => {
  const value = { subject, version, id, schema, deleted: false }
  written.push({ keytype: 'SCHEMA', subject, version, value })
  store.apply({ keytype: 'SCHEMA', subject, version, value })
}

beforeEach(() => {
  store = createRegistryStore()
  written = []
  beforeAppend = () => undefined
  const log = {
    catchUp: async () => undefined,
    append: async (entry: RegistryRecord) => {
      await Promise.resolve()
      beforeAppend()
      written.push(entry)
      store.apply(entry)
    },
  }
  registry = createRegistry({ store, log, writeTimeoutMs: 1_000 })
})

describe('registering', () => {
  test('gives one id to one schema, across subjects and spellings, and writes it once per subject', async () => {
    const ids = [
      await registry.register('s', '"int"'),
      await registry.register('s', '{ "type": "int" }'),
      await registry.register('t', '"int"'),
      await registry.register('u', '"long"'),
    ]
    expect(ids).toEqual([1, 1, 1, 2])
    expect(written).toHaveLength(3)
  })

  test('never gives one id to two schemas that come at once', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, (_, i) => registry.register(`s${i}`, record(`R${i}`))))
    expect(new Set(ids).size).toBe(50)
  })

  test('brings a deleted schema back under its id as the next version, in place of the deleted one', async () => {
    await registry.register('s', record('R'))
    await registry.deleteSubject('s', false)
    expect(await registry.register('s', record('R'))).toBe(1)
    expect(store.versionsOf('s', { deleted: true }).map(({ version }) => version)).toEqual([2])
  })

  test('refuses what the level of the subject forbids, and writes nothing', async () => {
    await registry.register('s', record('R'))
    const refusal = registry.register('s', record('R', { name: 'price', type: 'int' }))
    await expect(refusal).rejects.toMatchObject({ status: 409, code: 409, message: expect.stringContaining("'price'") })
    expect(written).toHaveLength(1)
  })
})

describe('a second registry on the topic', () => {
  test('that took the id a moment earlier keeps it, and the schema gets another', async () => {
    beforeAppend = () => {
      if (written.length === 0) rival('other', 1, 1, '"long"')
    }
    expect(await registry.register('s', '"int"')).toBe(2)
    expect(store.withId(1).map(({ schema }) => schema)).toEqual(['"long"'])
  })

  test('that took the version a moment earlier keeps it, also after compaction', async () => {
    beforeAppend = () => {
      if (written.length === 0) rival('s', 1, 1, '"int"')
    }
    await registry.setLevel('x', 'NONE')
    written.length = 0
    expect(await registry.register('s', '"long"')).toBe(2)
    expect(store.versionsOf('s').map(({ version, schema }) => [version, schema])).toEqual([
      [1, '"int"'],
      [2, '"long"'],
    ])
    const compacted = new Map(written.map((entry) => [encodeRecord(entry).key, entry]))
    const afterRestart = createRegistryStore()
    for (const entry of compacted.values()) afterRestart.apply(entry)
    expect(afterRestart.versionsOf('s').map(({ schema }) => schema)).toEqual(['"int"', '"long"'])
  })
})

describe('when Kafka does not answer', () => {
  const failing = () => {
    const log = {
      append: async () => {
        throw storeFailed('down')
      },
      // Holds its turn until the deadline, as a broker that hangs does.
      catchUp: (deadline: number) =>
        new Promise<void>((_resolve, reject) => {
          setTimeout(() => reject(storeFailed('timed out')), Math.max(0, deadline - Date.now()))
        }),
    }
    return createRegistry({ store, log, writeTimeoutMs: 100 })
  }

  test('every waiting write fails within the time of one', async () => {
    const broken = failing()
    const started = Date.now()
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => broken.register(`s${i}`, '"int"')))
    expect(results.every((result) => result.status === 'rejected' && result.reason instanceof RegistryError)).toBe(true)
    expect(Date.now() - started).toBeLessThan(1_000)
  })

  test('what is registered is still confirmed, found and judged', async () => {
    await registry.register('s', '"int"')
    const broken = failing()
    expect(await broken.register('s', '"int"')).toBe(1)
    expect(broken.lookup('s', '"int"', {}).id).toBe(1)
    expect(broken.judge('s', 'latest', '"string"')).not.toEqual([])
  })
})

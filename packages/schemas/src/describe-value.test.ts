import { describe, expect, it } from 'vitest'
import { RegistryUnavailableError } from './codec-errors.ts'
import { describeValue } from './describe-value.ts'

const schema = JSON.stringify({
  type: 'record',
  name: 'shop.Thing',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'price', type: ['null', 'float'] },
    { name: 'raw', type: 'bytes' },
  ],
})
const registry = { schemaById: async (id: number) => (id === 7 ? schema : undefined) }
const header = (id: number): number[] => [0, 0, 0, 0, id]
// "a", the second branch of the union, 79.9 as float32, two bytes.
const thing = [2, 0x61, 2, 0xcd, 0xcc, 0x9f, 0x42, 4, 0xff, 0x00]

describe('a value of which nobody says what it is', () => {
  it('is read with its own schema', async () => {
    expect(await describeValue(registry, Buffer.from([...header(7), ...thing]))).toEqual({
      kind: 'avro',
      schemaId: 7,
      name: 'shop.Thing',
      value: { id: 'a', price: 79.9, raw: 'ff00' },
    })
  })

  it.each([
    ['is no Avro', Buffer.from('{"id":1}'), 'does not begin'],
    ['has an unknown schema', Buffer.from([...header(8), ...thing]), 'no schema 8'],
    ['is cut', Buffer.from([...header(7), ...thing.slice(0, -1)]), 'schema 7'],
    ['is too long', Buffer.from([...header(7), ...thing, 0]), 'schema 7'],
  ])('stays bytes if it %s', async (_, bytes, why) => {
    expect(await describeValue(registry, bytes)).toEqual({ kind: 'bytes', why: expect.stringContaining(why) })
  })

  it('may be none', async () => {
    expect(await describeValue(registry, null)).toEqual({ kind: 'none' })
  })

  it('is not judged without the registry', async () => {
    const away = {
      schemaById: async () => {
        throw new RegistryUnavailableError('GET /schemas/ids/7', 'away')
      },
    }
    await expect(describeValue(away, Buffer.from([...header(7), 0]))).rejects.toThrow(RegistryUnavailableError)
  })
})

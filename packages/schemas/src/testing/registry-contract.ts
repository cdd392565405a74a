import avro from 'avsc'
import { describe, expect, it } from 'vitest'
import { RegistryRefusedError } from '../codec-errors.ts'
import type { AvroTypeDefinition } from '../contract.ts'
import type { RegistryClient } from '../registry-client.ts'

const withFields = (...fields: object[]): AvroTypeDefinition =>
  ({ type: 'record', name: 'Thing', namespace: 'dropbell.test', fields }) as AvroTypeDefinition

const first = withFields({ name: 'id', type: 'string' })
const second = withFields({ name: 'id', type: 'string' }, { name: 'size', type: ['null', 'int'], default: null })
const incompatible = withFields({ name: 'id', type: 'string' }, { name: 'weight', type: 'int' })
const elaborate = withFields(
  { name: 'size', aliases: ['length'], type: ['null', 'int'], default: null },
  { name: 'kind', type: { type: 'enum', name: 'Kind', namespace: 'elsewhere', symbols: ['A', 'B'] }, default: 'B' },
  { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
  { name: 'others', type: { type: 'map', values: { type: 'array', items: ['null', 'elsewhere.Kind', 'Thing'] } } },
)

/** Without what is spelling only: where a namespace stands, notes, unknown attributes. */
const meaningOf = (schema: AvroTypeDefinition) =>
  avro.Type.forSchema(schema as avro.Schema).schema({ exportAttrs: true })

/** What every registry client must do, the one without HTTP and the real one. */
export function describeRegistry(name: string, open: () => RegistryClient, newSubject: () => string): void {
  describe(name, () => {
    it('answers with nothing for a subject, a schema and an id that are not there', async () => {
      const registry = open()
      const subject = newSubject()
      expect(await registry.idOfSchema(subject, first)).toBeUndefined()
      expect(await registry.versionsOf(subject)).toBeUndefined()
      expect(await registry.compatibilityOf(subject)).toBeUndefined()
      expect(await registry.schemaById(2_000_000_000)).toBeUndefined()
    })

    it('finds a registered schema by its subject and by its id', async () => {
      const registry = open()
      const subject = newSubject()
      const id = await registry.register(subject, first)
      expect(await registry.idOfSchema(subject, first)).toBe(id)
      expect(await registry.idOfSchema(subject, second)).toBeUndefined()
      expect(meaningOf(JSON.parse((await registry.schemaById(id)) ?? ''))).toEqual(meaningOf(first))
    })

    it('gives a schema by its id with its names, defaults and symbols', async () => {
      const registry = open()
      const id = await registry.register(newSubject(), elaborate)
      expect(meaningOf(JSON.parse((await registry.schemaById(id)) ?? ''))).toEqual(meaningOf(elaborate))
    })

    it('gives the same schema the same id in every subject and does not add it twice', async () => {
      const registry = open()
      const [one, other] = [newSubject(), newSubject()]
      const id = await registry.register(one, first)
      expect(await registry.register(one, first)).toBe(id)
      expect(await registry.register(other, first)).toBe(id)
      expect(await registry.versionsOf(one)).toEqual([1])
    })

    it('refuses a version that cannot read the one before, and says so when asked beforehand', async () => {
      const registry = open()
      const subject = newSubject()
      await registry.setCompatibility(subject, 'BACKWARD')
      expect(await registry.compatibilityOf(subject)).toBe('BACKWARD')
      await registry.register(subject, first)
      expect(await registry.testCompatibility(subject, second)).toMatchObject({ compatible: true })
      expect(await registry.testCompatibility(subject, incompatible)).toMatchObject({ compatible: false })
      await expect(registry.register(subject, incompatible)).rejects.toBeInstanceOf(RegistryRefusedError)
      expect(await registry.versionsOf(subject)).toEqual([1])
    })

    it('takes anything as the first version of a subject', async () => {
      expect(await open().testCompatibility(newSubject(), incompatible)).toMatchObject({ compatible: true })
    })
  })
}

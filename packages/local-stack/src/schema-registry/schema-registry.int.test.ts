import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry'
import { describe, expect, test } from 'vitest'
import { call, freshTopic, register, startOn } from './testing/registry-under-test.ts'

const record = (name: string, ...fields: object[]) => ({ type: 'record', name, namespace: 'test', fields })
const a = { name: 'a', type: 'int' }
const b = { name: 'b', type: ['null', 'string'], default: null }

describe('through the client our services use', () => {
  test('registers, finds, encodes and decodes', async () => {
    const { url } = await startOn(freshTopic())
    const client = new SchemaRegistry({ host: url })
    const schema = JSON.stringify(record('Order', a, b))
    const { id } = await client.register({ type: SchemaType.AVRO, schema }, { subject: 'orders-value' })
    expect(await client.getLatestSchemaId('orders-value')).toBe(id)
    expect(await client.getRegistryId('orders-value', 1)).toBe(id)
    expect(await client.getRegistryIdBySchema('orders-value', { type: SchemaType.AVRO, schema })).toBe(id)
    const reader = new SchemaRegistry({ host: url })
    expect(await reader.decode(await client.encode(id, { a: 7, b: 'x' }))).toEqual({ a: 7, b: 'x' })
    // The client sets the level of a subject it has registered for the first time.
    expect((await call(url, 'GET', '/config/orders-value')).body).toEqual({ compatibilityLevel: 'BACKWARD' })
  })

  test('refuses an incompatible schema with the name of the field', async () => {
    const { url } = await startOn(freshTopic())
    const client = new SchemaRegistry({ host: url })
    const options = { subject: 's-value', compatibility: COMPATIBILITY.FULL }
    await client.register({ type: SchemaType.AVRO, schema: JSON.stringify(record('R', a)) }, options)
    const changed = JSON.stringify(record('R', a, { name: 'price', type: 'int' }))
    await expect(client.register({ type: SchemaType.AVRO, schema: changed }, options)).rejects.toThrow(/'price'/)
  })
})

test('serves one schema by id, by version and as latest, and lists where it is', async () => {
  const { url } = await startOn(freshTopic())
  const get = async (path: string) => (await call(url, 'GET', path)).body
  const [first, second] = [JSON.stringify(record('R', a)), JSON.stringify(record('R', a, b))]
  expect((await register(url, 's', record('R', a))).body).toEqual({ id: 1 })
  expect((await register(url, 's', record('R', a, b))).body).toEqual({ id: 2 })
  expect((await register(url, 't', record('R', a, b))).body).toEqual({ id: 2 })

  expect(await get('/')).toEqual({})
  expect(await get('/subjects')).toEqual(['s', 't'])
  expect(await get('/subjects?subjectPrefix=t')).toEqual(['t'])
  expect(await get('/subjects/s/versions')).toEqual([1, 2])
  expect(await get('/subjects/s/versions/1')).toEqual({ subject: 's', version: 1, id: 1, schema: first })
  expect(await get('/subjects/s/versions/latest')).toEqual({ subject: 's', version: 2, id: 2, schema: second })
  expect(await get('/subjects/s/versions/-1/schema')).toEqual(record('R', a, b))
  expect(await get('/subjects/s/versions/1/referencedby')).toEqual([])
  expect(await get('/schemas/ids/1')).toEqual({ schema: first })
  expect(await get('/schemas/ids/1/schema')).toEqual(record('R', a))
  expect(await get('/schemas/ids/2/subjects')).toEqual(['s', 't'])
  expect(await get('/schemas/ids/2/versions')).toEqual([
    { subject: 's', version: 2 },
    { subject: 't', version: 1 },
  ])
  expect(await get('/schemas/types')).toEqual(['AVRO'])
  expect(await get('/mode')).toEqual({ mode: 'READWRITE' })
  const lookup = await call(url, 'POST', '/subjects/s', { schema: JSON.stringify(record('R', a), null, 2) })
  expect(lookup.body).toEqual({ subject: 's', version: 1, id: 1, schema: first })
})

test('keeps levels: global, per subject, deleted again', async () => {
  const { url } = await startOn(freshTopic())
  expect((await call(url, 'GET', '/config')).body).toEqual({ compatibilityLevel: 'BACKWARD' })
  expect((await call(url, 'PUT', '/config', { compatibility: 'full' })).body).toEqual({ compatibility: 'FULL' })
  expect((await call(url, 'GET', '/config/s?defaultToGlobal=true')).body).toEqual({ compatibilityLevel: 'FULL' })
  expect((await call(url, 'PUT', '/config/s', { compatibility: 'NONE' })).body).toEqual({ compatibility: 'NONE' })
  expect((await call(url, 'GET', '/config/s')).body).toEqual({ compatibilityLevel: 'NONE' })
  expect((await call(url, 'DELETE', '/config/s')).body).toEqual({ compatibilityLevel: 'NONE' })
  expect((await call(url, 'DELETE', '/config')).body).toEqual({ compatibilityLevel: 'FULL' })
  expect((await call(url, 'GET', '/config')).body).toEqual({ compatibilityLevel: 'BACKWARD' })
})

test('judges without registering, with reasons when asked', async () => {
  const { url } = await startOn(freshTopic())
  await register(url, 's', record('R', a))
  await register(url, 's', record('R', a, b))
  const judge = async (path: string, schema: object) =>
    (await call(url, 'POST', `/compatibility/subjects/${path}`, { schema: JSON.stringify(schema) })).body
  const required = record('R', a, { name: 'price', type: 'int' })
  expect(await judge('s/versions/latest', record('R', a))).toEqual({ is_compatible: true })
  expect(await judge('s/versions/1', required)).toEqual({ is_compatible: false })
  const verbose = await judge('s/versions?verbose=true', required)
  expect(verbose.is_compatible).toBe(false)
  expect(verbose.messages[0]).toContain("READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'price'")
  expect(await judge('new/versions?verbose=true', required)).toEqual({ is_compatible: true, messages: [] })
  expect((await call(url, 'GET', '/subjects/s/versions')).body).toEqual([1, 2])
})

test('gives 200 schemas that come at once 200 ids, and one schema that comes 200 times one', async () => {
  const { url } = await startOn(freshTopic())
  const times = Array.from({ length: 200 }, (_, i) => i)
  const distinct = await Promise.all(times.map((i) => register(url, `subject-${i}`, record(`R${i}`, a))))
  expect(distinct.map(({ status }) => status)).toEqual(times.map(() => 200))
  expect(new Set(distinct.map(({ body }) => body.id))).toEqual(new Set(times.map((i) => i + 1)))
  const same = await Promise.all(times.map(() => register(url, 'shared', record('Shared', a))))
  expect(new Set(same.map(({ body }) => body.id))).toEqual(new Set([201]))
  expect((await call(url, 'GET', '/subjects/shared/versions')).body).toEqual([1])
})

test('a restart changes nothing: ids, versions, levels and deletions', async () => {
  const topic = freshTopic()
  const first = await startOn(topic)
  for (const schema of [record('R', a), record('R', a, b)]) await register(first.url, 'kept', schema)
  for (const subject of ['hidden', 'gone', 'partly']) await register(first.url, subject, record('R', a))
  await register(first.url, 'partly', record('R', a, b))
  await call(first.url, 'PUT', '/config', { compatibility: 'FULL' })
  await call(first.url, 'PUT', '/config/kept', { compatibility: 'FORWARD_TRANSITIVE' })
  await call(first.url, 'DELETE', '/subjects/hidden')
  await call(first.url, 'DELETE', '/subjects/gone')
  await call(first.url, 'DELETE', '/subjects/gone?permanent=true')
  await call(first.url, 'DELETE', '/subjects/partly/versions/1')

  const paths = [
    ...['/subjects', '/subjects?deleted=true', '/config', '/config/kept', '/config/hidden'],
    ...['kept', 'hidden', 'gone', 'partly'].map((subject) => `/subjects/${subject}/versions?deleted=true`),
    ...['/subjects/partly/versions', '/schemas/ids/1', '/schemas/ids/2', '/schemas/ids/1/versions?deleted=true'],
  ]
  const snapshot = async (url: string) => Promise.all(paths.map((path) => call(url, 'GET', path)))
  const before = await snapshot(first.url)
  expect(before[1]?.body).toEqual(['hidden', 'kept', 'partly'])
  await first.stop()

  const second = await startOn(topic)
  expect(await snapshot(second.url)).toEqual(before)
  expect((await register(second.url, 'new', record('New'))).body).toEqual({ id: 3 })
})

/** As other teams have it, from the contract they were given: the logicalType stands beside the type. */
const SEED_INVENTORY_EVENT = `{
  "type": "record",
  "name": "ProductInventoryEvent",
  "namespace": "com.rep.event.product",
  "fields": [
    {"name": "eventId", "type": "string"},
    {"name": "productId", "type": "string"},
    {"name": "eventType", "type": {
      "type": "enum",
      "name": "InventoryEventType",
      "symbols": ["PRICE_CHANGE", "STOCK_CHANGE", "PRODUCT_UPDATE"]
    }},
    {"name": "previousPrice", "type": ["null", "float"], "default": null},
    {"name": "currentPrice", "type": ["null", "float"], "default": null},
    {"name": "previousStock", "type": ["null", "int"], "default": null},
    {"name": "currentStock", "type": ["null", "int"], "default": null},
    {"name": "timestamp", "type": "long", "logicalType": "timestamp-millis"}
  ]
}`
const OUR_INVENTORY_EVENT = SEED_INVENTORY_EVENT.replace(
  '"type": "long", "logicalType": "timestamp-millis"',
  '"type": {"type": "long", "logicalType": "timestamp-millis"}',
)

test.each([
  ['before', SEED_INVENTORY_EVENT, OUR_INVENTORY_EVENT],
  ['after', OUR_INVENTORY_EVENT, SEED_INVENTORY_EVENT],
])('takes a producer with the published contract %s our own registration, even at FULL', async (_when, one, other) => {
  const { url } = await startOn(freshTopic())
  await call(url, 'PUT', '/config', { compatibility: 'FULL_TRANSITIVE' })
  const path = '/subjects/product.inventory.v1-value/versions'
  expect(await call(url, 'POST', path, { schema: one })).toEqual({ status: 200, body: { id: 1 } })
  expect(await call(url, 'POST', path, { schema: other })).toEqual({ status: 200, body: { id: 2 } })
  expect(await call(url, 'POST', path, { schema: one })).toEqual({ status: 200, body: { id: 1 } })

  const client = new SchemaRegistry({ host: url })
  const event = {
    eventId: 'e',
    productId: 'p',
    eventType: 'PRICE_CHANGE',
    previousPrice: 2,
    currentPrice: 1,
    previousStock: null,
    currentStock: 3,
    timestamp: 1_700_000_000_000,
  }
  expect(await client.decode(await client.encode(1, event))).toEqual(event)
})

import { PermanentError, TransientError } from '@dropbell/shared/errors'
import avro from 'avsc'
import { beforeEach, describe, expect, it } from 'vitest'
import { createCodec } from './codec.ts'
import {
  IncompatibleSchemaError,
  MagicByteError,
  MalformedBytesError,
  NullValueError,
  RegistryUnavailableError,
  SchemaNotRegisteredError,
  ShortBufferError,
  UnknownSchemaIdError,
} from './codec-errors.ts'
import type { AvroTypeDefinition } from './contract.ts'
import { registerSchemas } from './register.ts'
import { createMemoryRegistry, type MemoryRegistry } from './testing/memory-registry.ts'
import { sampleInventoryEvent, sampleNotification } from './testing/sample-values.ts'
import { notificationPushTopic, productInventoryTopic, subjectOf } from './topics.ts'

let registry: MemoryRegistry
beforeEach(async () => {
  registry = createMemoryRegistry()
  await registerSchemas(registry)
  registry.calls.clear()
})

const openCodec = () => createCodec({ topic: notificationPushTopic, registry })

/** The bytes a producer with plain avsc and this schema would send. */
async function writeAs(schema: AvroTypeDefinition, value: object, subject = 'elsewhere-value'): Promise<Buffer> {
  const id = (await registry.idOfSchema(subject, schema)) ?? (await registry.register(subject, schema))
  const header = Buffer.alloc(5)
  header.writeUInt32BE(id, 1)
  return Buffer.concat([header, avro.Type.forSchema(schema as avro.Schema).toBuffer(value)])
}

const versionOne = notificationPushTopic.contract.versions[0]?.schema as AvroTypeDefinition

describe('encoding', () => {
  it("writes Confluent's framing with the id of the newest version, then plain Avro", async () => {
    const bytes = await openCodec().encode(sampleNotification)
    const newest = notificationPushTopic.contract.versions.at(-1)?.schema as AvroTypeDefinition
    expect(bytes).toEqual(await writeAs(newest, sampleNotification, subjectOf(notificationPushTopic)))
  })

  it('looks its id up once and never registers', async () => {
    const codec = openCodec()
    await Promise.all([codec.encode(sampleNotification), codec.encodeBatch([sampleNotification])])
    await codec.encode(sampleNotification)
    expect(Object.fromEntries(registry.calls)).toEqual({ idOfSchema: 1 })
  })

  it('says what to run when the schema is not registered, and works once it is', async () => {
    const empty = createMemoryRegistry()
    const codec = createCodec({ topic: notificationPushTopic, registry: empty })
    await expect(codec.encode(sampleNotification)).rejects.toThrow(SchemaNotRegisteredError)
    await expect(codec.encode(sampleNotification)).rejects.toThrow('dropbell schemas register')
    await registerSchemas(empty)
    await expect(codec.encode(sampleNotification)).resolves.toBeInstanceOf(Buffer)
  })

  it('gives out bytes that later values do not touch, however long the values are', async () => {
    const codec = openCodec()
    const values = Array.from({ length: 300 }, (_, index) => ({
      ...sampleNotification,
      notificationId: `n-${index}`,
      body: '가'.repeat(index * 97),
    }))
    const decoded = await codec.decodeBatch(await codec.encodeBatch(values))
    expect(decoded).toEqual(values.map((value) => ({ ok: true, value })))
  })

  it('writes what it read as the same bytes', async () => {
    const codec = createCodec({ topic: productInventoryTopic, registry })
    const bytes = await codec.encode(sampleInventoryEvent)
    const event = await codec.decode(bytes)
    expect(event).toEqual(sampleInventoryEvent)
    expect(await codec.encode(event)).toEqual(bytes)
  })
})

describe('decoding', () => {
  it('reads version 1 as version 2 with the defaults', async () => {
    const { eventId, eventTimestamp, expiresAt, ...old } = { ...sampleNotification, notificationType: 'PRICE_DROP' }
    const bytes = await writeAs(versionOne, old, subjectOf(notificationPushTopic))
    expect(await openCodec().decode(bytes)).toEqual({ ...old, eventId: null, eventTimestamp: null, expiresAt: null })
  })

  it('reads a writer that has fields we do not know, whatever they hold', async () => {
    const newest = notificationPushTopic.contract.versions.at(-1)?.schema as AvroTypeDefinition
    const extra = [
      { name: 'tags', type: { type: 'array', items: 'string' } },
      { name: 'counts', type: { type: 'map', values: 'int' } },
    ]
    const wider = { ...newest, fields: [...extra, ...(newest.fields ?? [])] } as AvroTypeDefinition
    const bytes = await writeAs(wider, { ...sampleNotification, tags: ['a', 'b'], counts: { c: 1 } })
    expect(await openCodec().decode(bytes)).toEqual(sampleNotification)
  })

  it('asks for a schema once, also when many records arrive at the same time', async () => {
    const codec = openCodec()
    const bytes = await codec.encode(sampleNotification)
    await Promise.all([codec.decode(bytes), codec.decode(bytes), codec.decodeBatch([bytes, bytes])])
    expect(registry.calls.get('schemaById')).toBe(1)
  })

  it('asks again for an id that was unknown, since it may have been registered meanwhile', async () => {
    const later = createMemoryRegistry()
    const codec = createCodec({ topic: notificationPushTopic, registry: later })
    const bytes = await openCodec().encode(sampleNotification)
    await expect(codec.decode(bytes)).rejects.toThrow(UnknownSchemaIdError)
    await registerSchemas(later)
    expect(await codec.decode(bytes)).toEqual(sampleNotification)
  })

  it('does not ask the registry for an id that none can give out', async () => {
    await expect(openCodec().decode(Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]))).rejects.toThrow(UnknownSchemaIdError)
    expect(registry.calls.get('schemaById')).toBeUndefined()
  })

  it('reads prices as the shortest decimal', async () => {
    const codec = createCodec({ topic: productInventoryTopic, registry })
    const { previousPrice, currentPrice } = await codec.decode(await codec.encode(sampleInventoryEvent))
    expect([previousPrice, currentPrice]).toEqual([79.9, 69.9])
  })

  it('keeps a map key that JavaScript has a use of its own for', async () => {
    const data = JSON.parse('{"__proto__":"a","constructor":"b"}')
    const codec = openCodec()
    const decoded = await codec.decode(await codec.encode({ ...sampleNotification, data }))
    expect(Object.entries(decoded.data)).toEqual(Object.entries(data))
  })
})

describe('a record that cannot be read', () => {
  const someOther = { type: 'record', name: 'Other', namespace: 'elsewhere', fields: [] } as AvroTypeDefinition
  const cases: [string, () => Promise<Buffer | null>, new (...args: never[]) => Error, string][] = [
    ['no value', async () => null, NullValueError, 'NULL_VALUE'],
    ['an empty value', async () => Buffer.alloc(0), ShortBufferError, 'SHORT_BUFFER'],
    ['half a header', async () => Buffer.from([0, 0, 0]), ShortBufferError, 'SHORT_BUFFER'],
    ['another magic byte', async () => Buffer.from('{"json":true}'), MagicByteError, 'WRONG_MAGIC_BYTE'],
    ['an unknown id', async () => Buffer.from([0, 0, 0, 9, 9, 1]), UnknownSchemaIdError, 'UNKNOWN_SCHEMA_ID'],
    ['a schema of something else', () => writeAs(someOther, {}), IncompatibleSchemaError, 'INCOMPATIBLE_SCHEMA'],
    ['a missing end', async () => (await goodBytes()).subarray(0, -1), MalformedBytesError, 'MALFORMED_BYTES'],
    ['nothing but a header', async () => (await goodBytes()).subarray(0, 5), MalformedBytesError, 'MALFORMED_BYTES'],
    [
      'bytes left over',
      async () => Buffer.concat([await goodBytes(), Buffer.of(0)]),
      MalformedBytesError,
      'MALFORMED_BYTES',
    ],
  ]
  const goodBytes = () => openCodec().encode(sampleNotification)

  it.each(cases)('with %s is a permanent error of its own', async (_, make, errorClass, code) => {
    const bytes = await make()
    const error = await openCodec()
      .decode(bytes)
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(errorClass)
    expect(error).toBeInstanceOf(PermanentError)
    expect(error).toMatchObject({ code })
    expect(await openCodec().decodeBatch([bytes])).toMatchObject([{ ok: false, error: { code } }])
  })

  it('does not take its neighbours along', async () => {
    const good = await goodBytes()
    const results = await openCodec().decodeBatch([
      null,
      good,
      Buffer.from([0, 0, 0, 9, 9, 1]),
      good,
      good.subarray(0, 9),
    ])
    expect(results.map((result) => (result.ok ? result.value.notificationId : result.error.code))).toEqual([
      'NULL_VALUE',
      'n-1',
      'UNKNOWN_SCHEMA_ID',
      'n-1',
      'MALFORMED_BYTES',
    ])
  })

  it('is found out quickly, whatever its bytes claim', async () => {
    const good = await goodBytes()
    const codec = openCodec()
    let seed = 7
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % below
    }
    const startedAt = performance.now()
    for (let round = 0; round < 20_000; round++) {
      const bytes = Buffer.from(good)
      for (let flips = 1 + random(6); flips > 0; flips--) bytes[5 + random(bytes.length - 5)] = random(256)
      const [result] = await codec.decodeBatch([bytes])
      if (result?.ok === false) expect(result.error).toBeInstanceOf(MalformedBytesError)
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe('a registry that cannot answer', () => {
  it('is a transient error, for encoding and for decoding, and costs one request per id of a batch', async () => {
    const bytes = await openCodec().encode(sampleNotification)
    registry.outage = new RegistryUnavailableError('GET /', 'connection refused')
    registry.calls.clear()
    const codec = openCodec()
    await expect(codec.encode(sampleNotification)).rejects.toBeInstanceOf(TransientError)
    const results = await codec.decodeBatch(Array.from({ length: 50 }, () => bytes))
    expect(results.every((result) => !result.ok && result.error instanceof TransientError)).toBe(true)
    expect(registry.calls.get('schemaById')).toBe(1)
  })

  it('is forgotten as soon as it answers again', async () => {
    const codec = openCodec()
    registry.outage = new RegistryUnavailableError('GET /', 'connection refused')
    await expect(codec.encode(sampleNotification)).rejects.toBeInstanceOf(TransientError)
    registry.outage = undefined
    expect(await codec.decode(await codec.encode(sampleNotification))).toEqual(sampleNotification)
  })

  it('does not matter for what is known already', async () => {
    const codec = openCodec()
    const bytes = await codec.encode(sampleNotification)
    await codec.decode(bytes)
    registry.outage = new RegistryUnavailableError('GET /', 'connection refused')
    expect(await codec.decode(bytes)).toEqual(sampleNotification)
  })
})

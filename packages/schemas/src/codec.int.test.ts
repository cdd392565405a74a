import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import confluent from '@kafkajs/confluent-schema-registry'
import { describe, expect, it } from 'vitest'
import { createCodec } from './codec.ts'
import { RegistryUnavailableError, SchemaNotRegisteredError, UnknownSchemaIdError } from './codec-errors.ts'
import type { AvroTypeDefinition } from './contract.ts'
import { registerSchemas } from './register.ts'
import { checkRegistry } from './registry-check.ts'
import { createRegistryClient } from './registry-client.ts'
import { sampleInventoryEvent, sampleNotification } from './testing/sample-values.ts'
import { notificationPushTopic, productInventoryTopic, subjectOf, type Topic } from './topics.ts'

const url = testEnv().SCHEMA_REGISTRY_URL
const registry = createRegistryClient({ url })

/** The same contract under a name of its own, so that tests do not meet in one subject. */
const isolated = <T>(topic: Topic<T>): Topic<T> => ({ ...topic, name: `${topic.name}.${randomUUID()}` })

/** Another team's producer: its own library, version 1 as it was published, and nothing of ours. */
function foreignProducer<T>(topic: Topic<T>) {
  const client = new confluent.SchemaRegistry({ host: url })
  const schema = topic.contract.versions[0]?.schema as AvroTypeDefinition
  return {
    register: () =>
      client.register(
        { type: confluent.SchemaType.AVRO, schema: JSON.stringify(schema, null, 4) },
        { subject: subjectOf(topic) },
      ),
    encode: (id: number, value: object) => client.encode(id, value),
    decode: (bytes: Buffer) => client.decode(bytes),
  }
}

const { eventId, eventTimestamp, expiresAt, ...untimedNotification } = sampleNotification
const oldNotification = { ...untimedNotification, notificationType: 'PRICE_DROP' as const }

const cases: [string, Topic<unknown>, object, object][] = [
  ['inventory event', productInventoryTopic as never, sampleInventoryEvent, sampleInventoryEvent],
  [
    'notification',
    notificationPushTopic as never,
    oldNotification,
    { ...oldNotification, eventId: null, eventTimestamp: null, expiresAt: null },
  ],
]

describe.each(cases)('a producer with version 1 of the %s', (_, shared, written, read) => {
  it('that registered before us is compatible, and its records are read', async () => {
    const topic = isolated(shared)
    const producer = foreignProducer(topic)
    const { id } = await producer.register()
    const [registration] = await registerSchemas(registry, [topic])
    expect(registration?.versions[0]).toEqual({ version: 1, id, state: 'already-there' })
    expect(await createCodec({ topic, registry }).decode(await producer.encode(id, written))).toEqual(read)
  })

  it('that registers after us is compatible, and its records are read', async () => {
    const topic = isolated(shared)
    const [registration] = await registerSchemas(registry, [topic])
    const producer = foreignProducer(topic)
    const { id } = await producer.register()
    expect(id).toBe(registration?.versions[0]?.id)
    expect(await createCodec({ topic, registry }).decode(await producer.encode(id, written))).toEqual(read)
  })
})

describe('with a real registry', () => {
  it('another library reads what we write', async () => {
    const topic = isolated(notificationPushTopic)
    await registerSchemas(registry, [topic])
    const bytes = await createCodec({ topic, registry }).encode(sampleNotification)
    expect({ ...(await foreignProducer(topic).decode(bytes)) }).toEqual(sampleNotification)
  })

  it('registering twice changes nothing, and the check agrees', async () => {
    const topic = isolated(productInventoryTopic)
    expect(await checkRegistry(registry, [topic])).toMatchObject([{ state: 'can-be-registered' }])
    await registerSchemas(registry, [topic])
    const [again] = await registerSchemas(registry, [topic])
    expect(again).toMatchObject({
      compatibility: 'BACKWARD',
      versions: [{ state: 'already-there' }, { state: 'already-there' }],
    })
    expect(await registry.versionsOf(subjectOf(topic))).toEqual([1, 2])
    expect(await checkRegistry(registry, [topic])).toMatchObject([{ state: 'registered' }])
  })

  it('an incompatible version is seen by the check and refused by the registration', async () => {
    const topic = isolated(productInventoryTopic)
    await registerSchemas(registry, [topic])
    const newest = topic.contract.versions.at(-1)?.schema as AvroTypeDefinition
    const fields = [...(newest.fields ?? []), { name: 'warehouse', type: 'string' }]
    const versions = [...topic.contract.versions, { version: 3, schema: { ...newest, fields } }]
    const broken = { ...topic, contract: { name: topic.contract.name, versions } }
    expect(await checkRegistry(registry, [broken])).toMatchObject([
      { state: 'incompatible', messages: expect.arrayContaining([expect.stringContaining('warehouse')]) },
    ])
    await expect(registerSchemas(registry, [broken])).rejects.toBeInstanceOf(PermanentError)
  })

  it('an id it does not have is permanent, a schema it does not have says what to run', async () => {
    const codec = createCodec({ topic: isolated(notificationPushTopic), registry })
    await expect(codec.decode(Buffer.from([0, 0x77, 0x35, 0x94, 0, 1]))).rejects.toBeInstanceOf(UnknownSchemaIdError)
    await expect(codec.encode(sampleNotification)).rejects.toBeInstanceOf(SchemaNotRegisteredError)
  })
})

/** A server that takes connections and says nothing. */
async function listen() {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: (done?: () => void) => server.close(done) }
}

describe('without a registry', () => {
  const bytes = Buffer.from([0, 0, 0, 0, 1, 1])

  it('a refused connection is transient and is no verdict on the record', async () => {
    const server = await listen()
    await new Promise<void>((resolve) => server.close(resolve))
    const codec = createCodec({ topic: notificationPushTopic, registry: createRegistryClient({ url: server.url }) })
    await expect(codec.decode(bytes)).rejects.toBeInstanceOf(TransientError)
    await expect(codec.encode(sampleNotification)).rejects.toThrow('ECONNREFUSED')
  })

  it('a registry that never answers is transient after the deadline', async () => {
    const silent = await listen()
    try {
      const client = createRegistryClient({ url: silent.url, timeoutMs: 100 })
      const decoding = createCodec({ topic: notificationPushTopic, registry: client }).decode(bytes)
      await expect(decoding).rejects.toBeInstanceOf(RegistryUnavailableError)
      await expect(decoding).rejects.toThrow('no answer within 100 ms')
    } finally {
      silent.close()
    }
  })

  it('an answer that breaks off is transient', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"sch'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const client = createRegistryClient({ url: `http://127.0.0.1:${port}` })
      const codec = createCodec({ topic: notificationPushTopic, registry: client })
      await expect(codec.decode(bytes)).rejects.toBeInstanceOf(RegistryUnavailableError)
      await expect(codec.encode(sampleNotification)).rejects.toBeInstanceOf(RegistryUnavailableError)
    } finally {
      server.close()
    }
  })

  it('a server that is something else is transient: the address is wrong, not the record', async () => {
    const client = createRegistryClient({ url: `${url}/elsewhere` })
    await expect(createCodec({ topic: notificationPushTopic, registry: client }).decode(bytes)).rejects.toBeInstanceOf(
      TransientError,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { createCodec } from './codec.ts'
import {
  IncompatibleSchemaError,
  NotAvroError,
  RegistryRefusedError,
  RegistryUnavailableError,
} from './codec-errors.ts'
import { createRegistryClient } from './registry-client.ts'
import { notificationPushTopic } from './topics.ts'

interface Sent {
  url: string
  method: string | undefined
  headers: Record<string, string>
  body: unknown
}

function clientAnswering(status: number, body: unknown, headers: Record<string, string> = {}) {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const text = init?.body === undefined ? undefined : JSON.parse(String(init.body))
    sent.push({ url: String(url), method: init?.method, headers: init?.headers as Record<string, string>, body: text })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
  }
  return { client: createRegistryClient({ url: 'http://me:p%40ss@registry:8081/base/', fetch }), sent }
}

const schema = { type: 'record', name: 'Thing', fields: [] } as const

describe('the registry client', () => {
  it("takes only the registry's own word for it that an id is unknown", async () => {
    const known = clientAnswering(404, { error_code: 40403, message: 'Schema not found' })
    expect(await known.client.schemaById(7)).toBeUndefined()
    for (const body of [{ error_code: 404, message: 'HTTP 404 Not Found' }, '<html>Not Found</html>', '', 'null']) {
      await expect(clientAnswering(404, body).client.schemaById(7)).rejects.toBeInstanceOf(RegistryUnavailableError)
    }
  })

  it.each([400, 401, 403, 408, 429, 500, 502, 503])(
    'takes status %i for a registry that cannot answer',
    async (status) => {
      const { client } = clientAnswering(status, { error_code: status, message: 'no' })
      await expect(client.schemaById(7)).rejects.toBeInstanceOf(RegistryUnavailableError)
      await expect(client.idOfSchema('s', schema)).rejects.toBeInstanceOf(RegistryUnavailableError)
      await expect(client.register('s', schema)).rejects.toBeInstanceOf(RegistryUnavailableError)
    },
  )

  it('passes on how long it was asked to wait', async () => {
    const { client } = clientAnswering(429, {}, { 'retry-after': '2' })
    await expect(client.schemaById(7)).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      retryAfterMs: 2_000,
      dependency: 'schema-registry',
    })
  })

  it('does not mistake another server for a registry', async () => {
    await expect(clientAnswering(200, '<html>hello</html>').client.schemaById(7)).rejects.toThrow(
      'not a schema registry',
    )
    await expect(clientAnswering(200, {}).client.idOfSchema('s', schema)).rejects.toBeInstanceOf(
      RegistryUnavailableError,
    )
  })

  it.each([409, 422])('takes status %i for a refusal that will not change', async (status) => {
    const { client } = clientAnswering(status, { error_code: status, message: 'incompatible: field size' })
    await expect(client.register('s', schema)).rejects.toBeInstanceOf(RegistryRefusedError)
    await expect(client.register('s', schema)).rejects.toThrow('field size')
  })

  it.each([
    ['Protobuf', { schemaType: 'PROTOBUF', schema: 'syntax = "proto3"; message Thing { string id = 1; }' }],
    ['broken Protobuf', { schemaType: 'PROTOBUF', schema: 'message {' }],
    ['JSON Schema', { schemaType: 'JSON', schema: '{"type":"object"}' }],
    ['a kind of schema nobody knows', { schemaType: 'THRIFT', schema: 'struct Thing {}' }],
    ['text that is not JSON', { schema: 'record Thing' }],
    ['Avro with a type nobody declared', { schema: '{"type":"record","name":"T","fields":[{"name":"f","type":"X"}]}' }],
  ])('takes %s for a schema that no record can be read with, and does not ask twice', async (_, body) => {
    const { client, sent } = clientAnswering(200, body)
    const codec = createCodec({ topic: notificationPushTopic, registry: client })
    const bytes = Buffer.from([0, 0, 0, 0, 7, 1])
    await expect(codec.decode(bytes)).rejects.toBeInstanceOf(IncompatibleSchemaError)
    expect(await codec.decodeBatch([bytes])).toMatchObject([{ ok: false, error: { code: 'INCOMPATIBLE_SCHEMA' } }])
    expect(sent).toHaveLength(1)
    await expect(client.schemaById(7)).rejects.toBeInstanceOf(NotAvroError)
  })

  it('keeps no failure: the same id can be found a moment later', async () => {
    const answers = [
      new Response('null', { status: 503 }),
      Response.json({ error_code: 40403 }, { status: 404 }),
      Response.json({ schema: '"string"' }),
    ]
    const fetch = async () => answers.shift() as Response
    const client = createRegistryClient({ url: 'http://registry:8081', fetch })
    await expect(client.schemaById(7)).rejects.toBeInstanceOf(RegistryUnavailableError)
    expect(await client.schemaById(7)).toBeUndefined()
    expect(await client.schemaById(7)).toBe('"string"')
  })

  it('sends credentials as a header and never shows them', async () => {
    const { client, sent } = clientAnswering(500, {})
    const error = await client.schemaById(7).catch((reason: Error) => reason)
    expect(String(error)).toContain('GET http://registry:8081/base/schemas/ids/7')
    expect(String(error)).not.toContain('p%40ss')
    expect(sent[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  })

  it('asks for a subject with any name', async () => {
    const { client, sent } = clientAnswering(200, { id: 3 })
    expect(await client.idOfSchema('a/b?c-value', schema)).toBe(3)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'http://registry:8081/base/subjects/a%2Fb%3Fc-value',
      body: { schema: JSON.stringify(schema) },
    })
  })
})

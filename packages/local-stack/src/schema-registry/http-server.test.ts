import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storeFailed } from './errors.ts'
import { createHttpServer } from './http-server.ts'
import type { RegistryRecord } from './records.ts'
import { createRegistry } from './registry.ts'
import { createRegistryStore } from './registry-store.ts'

let app: FastifyInstance
let errors: Error[]

beforeEach(() => {
  const store = createRegistryStore()
  const log = { catchUp: async () => undefined, append: async (record: RegistryRecord) => void store.apply(record) }
  errors = []
  app = createHttpServer({ registry: createRegistry({ store, log, writeTimeoutMs: 1_000 }), store }, (error) =>
    errors.push(error),
  )
})
afterEach(() => app.close())

const post = (url: string, payload: string, contentType = 'application/json') =>
  app.inject({ method: 'POST', url, payload, headers: { 'content-type': contentType } })

describe('content types', () => {
  test.each([
    'application/vnd.schemaregistry.v1+json',
    'application/vnd.schemaregistry+json; charset=utf-8',
    'application/json',
    'application/octet-stream',
  ])('takes %s and answers with its own', async (contentType) => {
    const response = await post('/subjects/s/versions', '{"schema":"\\"int\\""}', contentType)
    expect(response.json()).toEqual({ id: 1 })
    expect(response.headers['content-type']).toBe('application/vnd.schemaregistry.v1+json')
  })

  test('refuses others', async () => {
    const response = await post('/subjects/s/versions', '<schema/>', 'text/xml')
    expect([response.statusCode, response.json().error_code]).toEqual([415, 415])
  })
})

test('answers a body over 1 MB with a clean 413', async () => {
  const response = await post('/subjects/s/versions', JSON.stringify({ schema: 'x'.repeat(1024 * 1024) }))
  expect([response.statusCode, response.json().error_code]).toEqual([413, 413])
})

test('knows paths from methods: 404 for what is not there, 405 for what it does not do', async () => {
  const missing = await app.inject({ method: 'GET', url: '/nothing' })
  const wrong = await app.inject({ method: 'DELETE', url: '/subjects' })
  expect([missing.statusCode, missing.json().error_code]).toEqual([404, 404])
  expect([wrong.statusCode, wrong.json().error_code]).toEqual([405, 405])
  expect(missing.headers['content-type']).toBe('application/vnd.schemaregistry.v1+json')
})

test('takes subjects with slashes, dots, blanks and 300 characters', async () => {
  const subject = `a/b.c d-${'x'.repeat(290)}`
  expect((await post(`/subjects/${encodeURIComponent(subject)}/versions`, '{"schema":"\\"int\\""}')).json()).toEqual({
    id: 1,
  })
  expect((await app.inject('/subjects')).json()).toEqual([subject])
})

test('answers 500/50001 with the reason when the topic cannot be written', async () => {
  const store = createRegistryStore()
  const log = { catchUp: () => Promise.reject(storeFailed('Kafka is away')), append: async () => undefined }
  const registry = createRegistry({ store, log, writeTimeoutMs: 1_000 })
  const down = createHttpServer({ registry, store }, (error) => errors.push(error))
  const response = await down.inject({ method: 'POST', url: '/subjects/s/versions', payload: { schema: '"int"' } })
  expect(response.statusCode).toBe(500)
  expect(response.json()).toEqual({ error_code: 50001, message: expect.stringContaining('Kafka is away') })
  await down.close()
})

test('hides the words of an unexpected error from clients and reports them', async () => {
  const broken = createHttpServer({ registry: {} as never, store: {} as never }, (error) => errors.push(error))
  const response = await broken.inject('/subjects')
  expect(response.json()).toEqual({ error_code: 500, message: 'Internal Server Error' })
  expect(errors).toHaveLength(1)
  await broken.close()
})

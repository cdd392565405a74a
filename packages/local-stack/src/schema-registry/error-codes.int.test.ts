import { expect, test } from 'vitest'
import { call, freshTopic, register, startOn } from './testing/registry-under-test.ts'

const INT = { schema: '"int"' }
const STRING = { schema: '"string"' }

/** What each request is answered with when `live` has one version, `hidden` is soft deleted and `two` has one of two. */
const CASES: [number, number, string, string, unknown?][] = [
  [404, 40401, 'GET', '/subjects/nobody/versions'],
  [404, 40401, 'GET', '/subjects/nobody/versions/1'],
  [404, 40401, 'GET', '/subjects/hidden/versions/latest'],
  [404, 40401, 'POST', '/subjects/nobody', INT],
  [404, 40401, 'DELETE', '/subjects/nobody'],
  [404, 40401, 'DELETE', '/subjects/nobody/versions/1'],
  [404, 40401, 'DELETE', '/config/nobody'],
  [404, 40401, 'POST', '/compatibility/subjects/nobody/versions/latest', INT],
  [404, 40402, 'GET', '/subjects/live/versions/2'],
  [404, 40402, 'GET', '/subjects/two/versions/1'],
  [404, 40402, 'DELETE', '/subjects/live/versions/2'],
  [404, 40402, 'POST', '/compatibility/subjects/live/versions/2', INT],
  [404, 40403, 'GET', '/schemas/ids/4711'],
  [404, 40403, 'GET', '/schemas/ids/4711/versions'],
  [404, 40403, 'GET', '/schemas/ids/abc'],
  [404, 40403, 'POST', '/subjects/live', STRING],
  [404, 40404, 'DELETE', '/subjects/hidden'],
  [404, 40405, 'DELETE', '/subjects/live?permanent=true'],
  [404, 40406, 'DELETE', '/subjects/two/versions/1'],
  [404, 40407, 'DELETE', '/subjects/live/versions/1?permanent=true'],
  [404, 40408, 'GET', '/config/live'],
  [409, 409, 'POST', '/subjects/live/versions', STRING],
  [422, 422, 'POST', '/subjects/live/versions', '{"schema": '],
  [422, 422, 'POST', '/subjects/live/versions', '[]'],
  [422, 422, 'PUT', '/config', 'BACKWARD'],
  [422, 42201, 'POST', '/subjects/live/versions', {}],
  [422, 42201, 'POST', '/subjects/live/versions', { schema: '{"type":"record"}' }],
  [422, 42201, 'POST', '/subjects/live', { schema: 'int' }],
  [422, 42201, 'POST', '/compatibility/subjects/live/versions/latest', { schema: '"Money"' }],
  [422, 42201, 'POST', '/subjects/live/versions', { schema: 'message M {}', schemaType: 'PROTOBUF' }],
  [422, 42201, 'POST', '/subjects/live/versions', { ...INT, references: [{ name: 'n', subject: 's', version: 1 }] }],
  [422, 42202, 'GET', '/subjects/live/versions/0'],
  [422, 42202, 'GET', '/subjects/live/versions/newest'],
  [422, 42202, 'DELETE', '/subjects/live/versions/2147483648'],
  [422, 42203, 'PUT', '/config', { compatibility: 'SIDEWAYS' }],
  [422, 42203, 'PUT', '/config/live', {}],
  [422, 42205, 'POST', '/subjects/live/versions', { ...INT, id: 7 }],
  [422, 42208, 'POST', '/subjects/a%0Ab/versions', INT],
  [404, 404, 'GET', '/nothing/here'],
  [405, 405, 'PUT', '/subjects/live/versions', INT],
  [413, 413, 'POST', '/subjects/live/versions', { schema: 'x'.repeat(1024 * 1024) }],
]

test('answers with the status and error code of Confluent, and words', async () => {
  const { url } = await startOn(freshTopic())
  for (const subject of ['live', 'hidden', 'two']) await register(url, subject, 'int')
  await register(url, 'two', 'long')
  await call(url, 'DELETE', '/subjects/hidden')
  await call(url, 'DELETE', '/subjects/two/versions/1')

  for (const [status, code, method, path, body] of CASES) {
    const answer = await call(url, method, path, body)
    expect({ method, path, status: answer.status, body: answer.body }).toEqual({
      method,
      path,
      status,
      body: { error_code: code, message: expect.stringMatching(/\w+ \w+/) },
    })
  }
  expect((await call(url, 'GET', '/subjects')).body).toEqual(['live', 'two'])
})

test('deletes in two steps, and serves the id in between', async () => {
  const { url } = await startOn(freshTopic())
  for (const schema of ['int', 'long']) await register(url, 's', schema)
  await call(url, 'PUT', '/config/s', { compatibility: 'FULL' })

  expect((await call(url, 'DELETE', '/subjects/s/versions/2')).body).toBe(2)
  expect((await call(url, 'GET', '/subjects/s/versions')).body).toEqual([1])
  expect((await call(url, 'GET', '/schemas/ids/2')).body).toEqual({ schema: '"long"' })
  expect((await call(url, 'GET', '/schemas/ids/2/subjects')).body.error_code).toBe(40403)
  expect((await call(url, 'GET', '/subjects/s/versions/2?deleted=true')).body).toMatchObject({ id: 2, deleted: true })
  expect((await call(url, 'DELETE', '/subjects/s/versions/2?permanent=true')).body).toBe(2)
  expect((await call(url, 'GET', '/schemas/ids/2')).body.error_code).toBe(40403)

  expect((await call(url, 'DELETE', '/subjects/s')).body).toEqual([1])
  expect((await call(url, 'GET', '/config/s')).body.error_code).toBe(40408)
  expect((await call(url, 'GET', '/subjects?deleted=true')).body).toEqual(['s'])
  expect((await register(url, 's', 'int')).body).toEqual({ id: 1 })
  expect((await call(url, 'GET', '/subjects/s/versions?deleted=true')).body).toEqual([2])
  await call(url, 'DELETE', '/subjects/s')
  expect((await call(url, 'DELETE', '/subjects/s?permanent=true')).body).toEqual([2])
  expect((await call(url, 'GET', '/subjects?deleted=true')).body).toEqual([])
})

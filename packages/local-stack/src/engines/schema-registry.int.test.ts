import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startIsolatedStack } from '../isolated-stack.ts'
import type { Stack } from '../stack.ts'

let stack: Stack
let url: string

beforeAll(async () => {
  stack = await startIsolatedStack({ engines: ['kafka', 'schema-registry'] })
  url = stack.env().SCHEMA_REGISTRY_URL as string
})
afterAll(() => stack.reset())

const ask = async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: await response.json() }
}

const record = (name: string, ...fields: string[]) => ({
  schema: JSON.stringify({ type: 'record', name, fields: fields.map((field) => ({ name: field, type: 'string' })) }),
})

const readAll = async () => {
  const { body: subjects } = await ask('GET', '/subjects')
  const versions = await Promise.all(
    (subjects as string[]).map((subject) => ask('GET', `/subjects/${subject}/versions/1`)),
  )
  const levels = await Promise.all((subjects as string[]).map((subject) => ask('GET', `/config/${subject}`)))
  return { subjects, versions, levels }
}

describe('the schema registry of the stack', () => {
  it('keeps every id and level when it or Kafka is killed or restarted', async () => {
    for (const name of ['Orders', 'Parcels', 'Users']) {
      expect((await ask('POST', `/subjects/${name}-value/versions`, record(name, 'id'))).status).toBe(200)
    }
    await ask('PUT', '/config/Orders-value', { compatibility: 'FULL_TRANSITIVE' })
    const before = await readAll()

    await stack.engine('schema-registry').kill()
    await stack.engine('schema-registry').start()
    expect(await readAll()).toEqual(before)

    await stack.engine('kafka').kill()
    await stack.engine('kafka').start()
    expect(await readAll()).toEqual(before)

    await stack.engine('schema-registry').restart()
    await stack.engine('kafka').restart()
    expect(await readAll()).toEqual(before)
    expect((before.levels[0] as { body: object }).body).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' })
  })

  it('goes on handing out new ids after Kafka was killed', async () => {
    const { body: known } = await ask('POST', '/subjects/Users-value', record('Users', 'id'))
    await stack.engine('kafka').kill()
    const refused = await ask('POST', '/subjects/Late-value/versions', record('Late', 'id'))
    expect(refused).toMatchObject({ status: 500, body: { error_code: expect.any(Number) } })
    await stack.engine('kafka').start()
    const accepted = await vi.waitFor(
      async () => {
        const answer = await ask('POST', '/subjects/Late-value/versions', record('Late', 'id'))
        expect(answer.status).toBe(200)
        return answer.body as { id: number }
      },
      { timeout: 30_000, interval: 250 },
    )
    expect(accepted.id).toBeGreaterThan((known as { id: number }).id)
  })
})

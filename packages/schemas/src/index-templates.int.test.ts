import { randomUUID } from 'node:crypto'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyIndexTemplates, createMissingIndices, indexTemplates } from './index-templates.ts'

const client = new Client({ node: testEnv().ELASTICSEARCH_URL })
const names = { USER_BEHAVIOR_INDEX: `behaviors-${randomUUID()}`, PRODUCT_INDEX: `products-${randomUUID()}` }
const dated = `${names.USER_BEHAVIOR_INDEX}-2026`

beforeAll(() => applyIndexTemplates(client, names))
afterAll(async () => {
  await client.indices.delete({ index: [...Object.values(names), dated], ignore_unavailable: true })
  for (const { name } of Object.values(indexTemplates(names))) await client.indices.deleteIndexTemplate({ name })
  await client.close()
})

describe('the index templates', () => {
  it('can be applied again', async () => {
    await applyIndexTemplates(client, names)
  })

  it('lay out the indices that are made after them, also behind an alias', async () => {
    await client.indices.create({ index: dated })
    const { [dated]: made } = await client.indices.get({ index: dated })
    expect(made?.settings?.index).toMatchObject({
      number_of_shards: '3',
      sort: { field: ['productId', 'userId'] },
    })
    expect(made?.mappings?.properties).toMatchObject({ userId: { type: 'keyword' } })
  })

  it('let two who make the missing indices at once both succeed', async () => {
    await Promise.all([1, 2].map(() => createMissingIndices(client, names)))
    await createMissingIndices(client, names)
    for (const index of Object.values(names)) expect(await client.indices.exists({ index })).toBe(true)
  })
})

import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import { TransientError } from '@dropbell/shared/errors'
import { startSilentPeer } from '@dropbell/shared/testing/tcp-peer'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProductNames } from './product-names.ts'
import type { TargetTrigger } from './target-query.ts'
import { indexBehaviors } from './testing/behaviors.ts'
import { createTestResolver } from './testing/target-resolver.ts'

const eventTime = Date.UTC(2026, 0, 15)
const index = 'user_behavior_index'
const drop: TargetTrigger = { kind: 'price-drop', eventId: 'e', productId: 'p', timestamp: eventTime }

let stack: Stack
let connection: ReturnType<typeof createElasticsearch>

beforeAll(async () => {
  stack = await startIsolatedStack({ engines: ['elasticsearch'] })
  connection = createElasticsearch({
    config: loadConfig(defineConfig(elasticsearchConfig), stack.env()),
    service: 'outage-test',
  })
  await indexBehaviors(connection.client, index, [
    { productId: 'p', userId: 'u', actionType: 'VIEW', timestamp: '2026-01-14T00:00:00Z' },
  ])
})
afterAll(async () => {
  await connection.close()
  await stack.reset()
})

const failureOf = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now()
  const error = await work().catch((reason: unknown) => reason)
  return { error, durationMs: performance.now() - startedAt }
}

describe('Elasticsearch stopped', () => {
  it('is a transient failure within seconds, and over when it is back', async () => {
    const { client } = connection
    const { usersOf } = createTestResolver({ client, index })
    const readNames = createProductNames({
      client,
      config: {
        PRODUCT_INDEX: 'product_index',
        PRODUCT_NAME_CACHE_SIZE: 10,
        PRODUCT_NAME_CACHE_TTL_MS: 1_000,
        PRODUCT_NAME_CACHE_MISSING_TTL_MS: 1_000,
      },
    })
    expect(await usersOf([drop])).toEqual([['u']])

    await stack.engine('elasticsearch').kill()
    const unasked = createTestResolver({ client, index })
    for (const work of [() => usersOf([drop]), () => unasked.usersOf([drop]), () => readNames(['p'])]) {
      const { error, durationMs } = await failureOf(work)
      expect(error).toBeInstanceOf(TransientError)
      expect(error).toMatchObject({ code: 'ELASTICSEARCH_UNAVAILABLE', dependency: 'elasticsearch' })
      expect(durationMs).toBeLessThan(15_000)
    }

    await stack.engine('elasticsearch').start()
    await client.cluster.health({ index, wait_for_status: 'yellow', timeout: '30s' }, { requestTimeout: 35_000 })
    expect(await usersOf([drop])).toEqual([['u']])
  }, 180_000)
})

describe('Elasticsearch that takes connections and never answers', () => {
  it('is a transient failure after one timeout of the client', async () => {
    const peer = await startSilentPeer()
    const client = new Client({ node: `http://127.0.0.1:${peer.port}`, requestTimeout: 300, maxRetries: 2 })
    const { error, durationMs } = await failureOf(() => createTestResolver({ client, index }).usersOf([drop]))
    expect(error).toBeInstanceOf(TransientError)
    expect(error).toMatchObject({ code: 'ELASTICSEARCH_UNAVAILABLE', dependency: 'elasticsearch' })
    expect(durationMs).toBeLessThan(5_000)
    await client.close()
    await peer.close()
  })
})

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { testEnv } from '../testing/test-env.ts'
import { createRecommendationControl, type RecommendationControl } from './control-client.ts'

let control: RecommendationControl
beforeEach(() => {
  control = createRecommendationControl(testEnv().RECOMMENDATION_API_URL, randomUUID())
})

const ask = (userId: string, query = '', signal?: AbortSignal) =>
  fetch(`${control.url}/api/v1/recommendations/${encodeURIComponent(userId)}${query}`, signal ? { signal } : {})

describe('the recommendation API simulator', () => {
  it('recommends as many products as it is asked for', async () => {
    const response = await ask('user/1', '?limit=2')
    expect(response.status).toBe(200)
    const product = { productId: expect.any(String), productName: expect.any(String), score: expect.any(Number) }
    expect(await response.json()).toEqual({
      userId: 'user/1',
      strategy: 'popular',
      recommendations: [product, product],
    })
    expect(((await (await ask('a')).json()) as { recommendations: unknown[] }).recommendations).toHaveLength(3)
    expect((await ask('a', '?limit=many')).status).toBe(400)
  })

  it('follows the script of a user first, then that of all, then its own', async () => {
    await control.script({ do: 'answer', status: 503, body: 'no', times: 1 })
    await control.script([{ do: 'recommend', products: [], strategy: 'none', times: 1 }], 'a')
    expect(await (await ask('a')).json()).toEqual({ userId: 'a', strategy: 'none', recommendations: [] })
    expect((await ask('a')).status).toBe(503)
    expect((await ask('a')).status).toBe(200)
  })

  it('cuts connections, is silent, and takes its time on command', async () => {
    await control.script({ do: 'drop' }, 'dropped')
    await control.script({ do: 'silence' }, 'silent')
    await control.script({ do: 'recommend', latencyMs: 200 }, 'slow')
    await expect(ask('dropped')).rejects.toThrow()
    await expect(ask('silent', '', AbortSignal.timeout(300))).rejects.toThrow(/timeout/)
    const since = performance.now()
    expect((await ask('slow')).status).toBe(200)
    expect(performance.now() - since).toBeGreaterThanOrEqual(199)
  })

  it('counts what was asked, of this shop alone, and forgets it on command', async () => {
    await Promise.all([ask('a'), ask('a'), ask('b')])
    expect(await control.report()).toMatchObject({ requests: 3, answers: { 200: 3 } })
    expect(await control.users()).toEqual({ a: 2, b: 1 })
    await control.reset()
    expect(await control.report()).toMatchObject({ requests: 0, connections: 0 })
  })

  it('refuses a script that it does not understand', async () => {
    await expect(control.script({ do: 'explode' } as never)).rejects.toThrow(/400/)
  })
})

import { describe, expect, it } from 'vitest'
import { parseRecommendations } from './parse-recommendations.ts'

const product = (n: number) => ({ productId: `P-${n}`, productName: `product ${n}`, score: 1 / n })
const body = (said: object = {}): string =>
  JSON.stringify({ userId: 'u', strategy: 's', recommendations: [product(1), product(2)], ...said })

describe('parseRecommendations', () => {
  it('takes what was asked for, and ignores what it does not know', () => {
    expect(parseRecommendations(body({ model: 'v7' }), 'u', 3)).toEqual({
      kind: 'recommended',
      recommendation: {
        strategy: 's',
        products: [
          { productId: 'P-1', productName: 'product 1' },
          { productId: 'P-2', productName: 'product 2' },
        ],
      },
    })
  })

  it('takes no more products than were asked for', () => {
    expect(parseRecommendations(body(), 'u', 1)).toMatchObject({ recommendation: { products: [{ productId: 'P-1' }] } })
  })

  it('knows nothing from nonsense', () => {
    expect(parseRecommendations(body({ recommendations: [] }), 'u', 3)).toEqual({ kind: 'nothing' })
  })

  it.each([
    '',
    'null',
    '[]',
    '{',
    body({ userId: 'v' }),
    body({ strategy: 7 }),
    body({ recommendations: null }),
    body({ recommendations: [{ ...product(1), productId: '' }] }),
    body({ recommendations: [{ ...product(1), score: 'high' }] }),
    body({ recommendations: [{ productId: 'P-1', score: 1 }] }),
  ])('refuses %s', (text) => {
    expect(parseRecommendations(text, 'u', 3)).toEqual({ kind: 'failed', reason: 'nonsense' })
  })
})

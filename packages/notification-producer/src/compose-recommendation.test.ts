import { describe, expect, it } from 'vitest'
import { composeRecommendation, type RecommendedProduct } from './compose-recommendation.ts'

const named = (...names: (string | undefined)[]): RecommendedProduct[] =>
  names.map((productName, n) => ({ productId: `P-${n + 1}`, productName }))

const bodyOf = (products: RecommendedProduct[], language: 'ko' | 'en' = 'ko') =>
  composeRecommendation({ strategy: 'popular', products }, language).body

describe('composeRecommendation', () => {
  it('names the products with the particle of the last, and says how they were chosen', () => {
    const products = named('운동화', '모자', '가방')
    expect(composeRecommendation({ strategy: 'collaborative', products }, 'ko')).toEqual({
      title: '오늘의 추천 상품',
      body: '운동화, 모자, 가방을 추천드려요!',
      data: { strategy: 'collaborative', productIds: 'P-1,P-2,P-3' },
      channels: ['PUSH', 'IN_APP'],
      priority: 'NORMAL',
    })
    expect(bodyOf(named('가방', '운동화'))).toBe('가방, 운동화를 추천드려요!')
    expect(bodyOf(named('삼성 TV'))).toBe('삼성 TV를 추천드려요!')
  })

  it('changes nothing but the words for readers of English', () => {
    const products = named('Sneakers', 'Hat')
    const { title, body, ...rest } = composeRecommendation({ strategy: 's', products }, 'en')
    expect([title, body]).toEqual(["Today's picks for you", 'We recommend Sneakers, Hat!'])
    expect(composeRecommendation({ strategy: 's', products }, 'ko')).toMatchObject(rest)
  })

  it('does not speak of products without a name, but counts them', () => {
    expect(bodyOf(named('가방', '\u200b', undefined))).toBe('가방을 추천드려요!')
    expect(bodyOf(named(undefined))).toBe('상품을 추천드려요!')
    expect(bodyOf(named(''), 'en')).toBe('We recommend items you may like!')
  })

  it('keeps every name short enough for several, on one line', () => {
    expect(bodyOf(named('긴'.repeat(60), ' 가방\n(블랙) '))).toBe(`${'긴'.repeat(40)}…, 가방 (블랙)을 추천드려요!`)
  })
})

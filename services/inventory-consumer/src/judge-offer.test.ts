import { samplePriceDrop, sampleRestock } from '@dropbell/notification-producer/testing/sample-triggers'
import { describe, expect, it } from 'vitest'
import { judgeOffer } from './judge-offer.ts'

const at = samplePriceDrop.eventTimestamp
const price = (value: number) => ({ price: { value, at: at + 1 } })
const stock = (value: number, when = at + 1) => ({ stock: { value, at: when } })

describe('an offer', () => {
  it.each([
    ['its own price', price(69.9)],
    ['a lower one', price(65)],
    ['nothing known', {}],
    ['stock left', { ...price(69.9), ...stock(1) }],
    ['stock that had run out before', stock(0, at - 1)],
    ['no stock in the very event', stock(0, at)],
  ])('of a lower price is good with %s', (_, state) => {
    expect(judgeOffer(samplePriceDrop, state)).toBe('good')
  })

  it('of a lower price is stale when the price rose, be it by a cent', () => {
    expect(judgeOffer(samplePriceDrop, price(69.91))).toBe('price-rose')
    expect(judgeOffer(samplePriceDrop, price(79.9))).toBe('price-rose')
  })

  it.each([samplePriceDrop, sampleRestock])('of a $type is stale when it sold out since', (trigger) => {
    expect(judgeOffer(trigger, stock(0))).toBe('sold-out')
    expect(judgeOffer(trigger, stock(-2))).toBe('sold-out')
  })

  it('of what is back is stale when it sold out in the same moment', () => {
    expect(judgeOffer(sampleRestock, stock(0, sampleRestock.eventTimestamp))).toBe('sold-out')
  })

  it('of what is back does not depend on its price', () => {
    expect(judgeOffer(sampleRestock, { ...price(1_000), ...stock(3) })).toBe('good')
  })
})

import { describe, expect, it } from 'vitest'
import { judgeOffer, type Offer } from './judge-offer.ts'

const at = Date.UTC(2026, 0, 15, 3)
const lowerPrice: Offer = { type: 'PRICE_DROP', price: 69.9, soldOutFrom: at }
const backInStock: Offer = { type: 'BACK_IN_STOCK', soldOutFrom: at }
const price = (value: number) => ({ price: { value, at: at + 1 } })
const stock = (value: number, when = at + 1) => ({ stock: { value, at: when } })

describe('an offer', () => {
  it.each([
    ['its own price', price(69.9)],
    ['a lower one', price(65)],
    ['stock left', { ...price(69.9), ...stock(1) }],
    ['stock that had run out before it counts', { ...price(69.9), ...stock(0, at - 1) }],
  ])('of a lower price is good with %s', (_, state) => {
    expect(judgeOffer(lowerPrice, state)).toBe('good')
  })

  it('of a lower price is stale when the price rose, be it by a cent', () => {
    expect(judgeOffer(lowerPrice, price(69.91))).toBe('price-rose')
    expect(judgeOffer(lowerPrice, price(79.9))).toBe('price-rose')
  })

  it.each([lowerPrice, backInStock])('of a $type is stale when it sold out since', (offer) => {
    expect(judgeOffer(offer, stock(0))).toBe('sold-out')
    expect(judgeOffer(offer, stock(-2))).toBe('sold-out')
    expect(judgeOffer(offer, stock(0, at))).toBe('sold-out')
  })

  it('of what is back does not depend on its price', () => {
    expect(judgeOffer(backInStock, { ...price(1_000), ...stock(3) })).toBe('good')
  })

  it.each([
    ['a lower price, nothing', lowerPrice, {}],
    ['a lower price, its stock alone', lowerPrice, stock(3)],
    ['a price that nobody named', { ...lowerPrice, price: undefined }, price(10)],
    ['what is back, its price alone', backInStock, price(69.9)],
  ])('is unknown where of %s is known', (_, offer, state) => {
    expect(judgeOffer(offer, state)).toBe('unknown')
  })
})

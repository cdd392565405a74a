import type { ProductState } from './product-state.ts'

/** What somebody was or will be told of a product, as far as it can become untrue. */
export type Offer = LowerPrice | BackInStock

export interface LowerPrice extends SoldOutRule {
  readonly type: 'PRICE_DROP'
  /** Undefined where it is not known: then nobody can say whether it still holds. */
  readonly price: number | undefined
}

export interface BackInStock extends SoldOutRule {
  readonly type: 'BACK_IN_STOCK'
}

interface SoldOutRule {
  /** Stock that had run out before this time does not count; in milliseconds since the epoch. */
  readonly soldOutFrom: number
}

export type OfferVerdict = 'good' | 'price-rose' | 'sold-out' | 'unknown'

/**
 * Whether what is told of a product is still true. Its state has the newest values by the times of their events, so a
 * higher price is a later one. What an offer is about must be known; of the rest, what is not known does not speak
 * against it.
 */
export const judgeOffer = (offer: Offer, { price, stock }: ProductState): OfferVerdict => {
  if (offer.type === 'PRICE_DROP' && price && offer.price !== undefined && price.value > offer.price)
    return 'price-rose'
  if (stock && stock.value <= 0 && stock.at >= offer.soldOutFrom) return 'sold-out'
  const isKnown = offer.type === 'PRICE_DROP' ? price !== undefined && offer.price !== undefined : stock !== undefined
  return isKnown ? 'good' : 'unknown'
}

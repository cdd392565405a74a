import type { Trigger } from '@dropbell/notification-producer/trigger'
import type { ProductState } from './product-state.ts'

export type OfferVerdict = 'good' | 'price-rose' | 'sold-out'

/**
 * Whether what is told of a product is still true. Its state has the newest values by the times of their events, so a
 * higher price is a later one. Stock counts only if it ran out after the event: a price drop of what is sold out is told to
 * all or to nobody, not to those on the first page. What is not known does not speak against it.
 */
export const judgeOffer = (trigger: Trigger, { price, stock }: ProductState): OfferVerdict => {
  if (trigger.type === 'PRICE_DROP' && price && price.value > trigger.currentPrice) return 'price-rose'
  if (stock && stock.value <= 0 && stock.at > soldOutAfter(trigger)) return 'sold-out'
  return 'good'
}

/** A price drop may bring the stock along that its product had; a restock cannot have sold out in its own event. */
const soldOutAfter = ({ type, eventTimestamp }: Trigger): number =>
  type === 'PRICE_DROP' ? eventTimestamp : eventTimestamp - 1

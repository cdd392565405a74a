import type { Trigger } from '@dropbell/notification-producer/trigger'
import type { Offer } from '@dropbell/offers/judge-offer'

/**
 * Stock counts only if it ran out after the event: a price drop of what is sold out is told to all or to nobody, not to
 * those on the first page. It may bring the stock along that its product had; a restock cannot have sold out in its own
 * event.
 */
export const offerOf = (trigger: Trigger): Offer =>
  trigger.type === 'PRICE_DROP'
    ? { type: trigger.type, price: trigger.currentPrice, soldOutFrom: trigger.eventTimestamp + 1 }
    : { type: trigger.type, soldOutFrom: trigger.eventTimestamp }

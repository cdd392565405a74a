import type { Trigger } from '@dropbell/notification-producer/trigger'
import type { PriceDrop, Restock } from '@dropbell/offers/detect-trigger'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'

/** What is to be told of an event. */
export const describeTrigger = (
  { eventId, productId, timestamp }: ProductInventoryEvent,
  detection: PriceDrop | Restock,
  productName: string | undefined,
): Trigger => {
  const event = { eventId, productId, productName, eventTimestamp: timestamp }
  if (detection.kind === 'restock') return { ...event, type: 'BACK_IN_STOCK', currentStock: detection.currentStock }
  const { previousPrice, currentPrice, dropPercentage } = detection
  return { ...event, type: 'PRICE_DROP', previousPrice, currentPrice, dropPercentage }
}

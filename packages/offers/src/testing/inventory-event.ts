import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'

const nothingSaid = { previousPrice: null, currentPrice: null, previousStock: null, currentStock: null }

/** A PRODUCT_UPDATE that says nothing, with what a test wants to say instead. */
export const inventoryEvent = (said: Partial<ProductInventoryEvent> = {}): ProductInventoryEvent => ({
  eventId: 'event-1',
  productId: 'product-1',
  eventType: 'PRODUCT_UPDATE',
  timestamp: Date.UTC(2026, 0, 15),
  ...nothingSaid,
  ...said,
})

import type { PriceDrop, Restock } from '../trigger.ts'

export const samplePriceDrop: PriceDrop = {
  type: 'PRICE_DROP',
  eventId: 'evt-1',
  productId: 'P-1',
  productName: '운동화',
  eventTimestamp: Date.UTC(2026, 0, 15, 3),
  previousPrice: 79.9,
  currentPrice: 69.9,
  dropPercentage: 12,
}

export const sampleRestock: Restock = {
  type: 'BACK_IN_STOCK',
  eventId: 'evt-2',
  productId: 'P-1',
  productName: '운동화',
  eventTimestamp: Date.UTC(2026, 0, 15, 3),
  currentStock: 3,
}

import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { toShortestFloat32 } from '@dropbell/schemas/price'
import { dropPercentage } from './drop-percentage.ts'

export const triggerKinds = ['price-drop', 'restock'] as const

export type TriggerKind = (typeof triggerKinds)[number]

/** Everything an event can be ignored for: a label of a metric, hence bounded. */
export const ignoredReasons = [
  'price-missing',
  'price-invalid',
  'price-not-lower',
  'drop-below-threshold',
  'stock-missing',
  'stock-invalid',
  'was-in-stock',
  'still-out-of-stock',
  'no-price-or-stock-change',
] as const

export type IgnoredReason = (typeof ignoredReasons)[number]

export interface PriceDrop {
  kind: 'price-drop'
  /** Whole percent, rounded down. */
  dropPercentage: number
  /** Prices as the shortest decimals: 79.9, not 79.9000015. */
  previousPrice: number
  currentPrice: number
}

export interface Restock {
  kind: 'restock'
  currentStock: number
}

export interface Ignored {
  kind: 'ignored'
  reason: IgnoredReason
}

export type Detection = PriceDrop | Restock | Ignored

export interface DetectionRules {
  /** Whole percent. */
  priceDropThreshold: number
}

/**
 * Whether an event is worth telling. A price change is judged by its prices alone and a stock change by its stocks,
 * whatever else the event carries. Never throws: other teams write these events, and a strange one is no failure.
 */
export const detectTrigger = (event: ProductInventoryEvent, rules: DetectionRules): Detection => {
  switch (event.eventType) {
    case 'PRICE_CHANGE':
      return detectPriceDrop(event, rules)
    case 'STOCK_CHANGE':
      return detectRestock(event)
    default:
      return ignored('no-price-or-stock-change')
  }
}

const detectPriceDrop = (event: ProductInventoryEvent, { priceDropThreshold }: DetectionRules): Detection => {
  if (event.previousPrice === null || event.currentPrice === null) return ignored('price-missing')
  const previousPrice = toShortestFloat32(event.previousPrice)
  const currentPrice = toShortestFloat32(event.currentPrice)
  // A price of nothing is possible now, but not as the one from which a percentage is reckoned.
  if (!isPrice(previousPrice) || !isPrice(currentPrice) || previousPrice === 0) return ignored('price-invalid')
  if (currentPrice >= previousPrice) return ignored('price-not-lower')
  const percentage = dropPercentage(previousPrice, currentPrice)
  if (percentage < priceDropThreshold) return ignored('drop-below-threshold')
  return { kind: 'price-drop', dropPercentage: percentage, previousPrice, currentPrice }
}

const detectRestock = ({ previousStock, currentStock }: ProductInventoryEvent): Detection => {
  if (previousStock === null || currentStock === null) return ignored('stock-missing')
  if (!isStock(previousStock) || !isStock(currentStock)) return ignored('stock-invalid')
  if (previousStock > 0) return ignored('was-in-stock')
  return currentStock > 0 ? { kind: 'restock', currentStock } : ignored('still-out-of-stock')
}

const isPrice = (value: number): boolean => Number.isFinite(value) && value >= 0

const isStock = (value: number): boolean => Number.isInteger(value) && value >= 0

const ignored = (reason: IgnoredReason): Ignored => ({ kind: 'ignored', reason })

/** Why somebody is told something, as every notification says it. */
export interface Occasion {
  readonly type: Trigger['type'] | 'RECOMMENDATION'
  readonly eventId: string
  readonly productId: string
  /** When it happened, in milliseconds since the epoch. */
  readonly eventTimestamp: number
}

/** What happened to a product, and is worth telling. */
export type Trigger = PriceDrop | Restock

interface ProductEvent {
  readonly eventId: string
  readonly productId: string
  /** Unknown where the product has no name, or none could be found. */
  readonly productName?: string | undefined
  /** When it happened, in milliseconds since the epoch. */
  readonly eventTimestamp: number
}

export interface PriceDrop extends ProductEvent {
  readonly type: 'PRICE_DROP'
  readonly previousPrice: number
  readonly currentPrice: number
  /** Whole percent. */
  readonly dropPercentage: number
}

export interface Restock extends ProductEvent {
  readonly type: 'BACK_IN_STOCK'
  readonly currentStock: number
}

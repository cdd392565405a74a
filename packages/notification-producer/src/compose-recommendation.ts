import { channelsOf, type Message, priorityOf } from './compose-notification.ts'
import { type Language, recommendationTextOf } from './notification-texts.ts'

export interface RecommendedProduct {
  readonly productId: string
  readonly productName?: string | undefined
}

/** What is recommended to one user; the first product is what the notification is about. */
export interface Recommendation {
  /** How the products were chosen, in the words of whoever chose them. */
  readonly strategy: string
  readonly products: readonly RecommendedProduct[]
}

export const composeRecommendation = ({ strategy, products }: Recommendation, language: Language): Message => ({
  ...recommendationTextOf(
    products.map(({ productName }) => productName),
    language,
  ),
  data: { strategy, productIds: products.map(({ productId }) => productId).join(',') },
  channels: channelsOf.RECOMMENDATION,
  priority: priorityOf.RECOMMENDATION,
})

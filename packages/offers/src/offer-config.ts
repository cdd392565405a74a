import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count } from '@dropbell/shared/config/variables'

/** What is an offer, and whom it interests: for whoever tells of it and for whoever explains it afterwards. */
export const offerConfig = {
  shape: {
    PRICE_DROP_THRESHOLD: count({ min: 1, max: 100 })
      .default(10)
      .describe('Whole percent by which a price must fall to be worth telling.'),
    INTERESTED_USER_DAYS: count({ min: 1, max: 3_650 })
      .default(30)
      .describe('Who looked at a product in this many days before its price dropped is told.'),
    CART_USER_DAYS: count({ min: 1, max: 3_650 })
      .default(30)
      .describe('Who put a product into the cart in this many days before it came back is told.'),
  },
} satisfies ConfigFragment

export type OfferConfig = Config<typeof offerConfig>

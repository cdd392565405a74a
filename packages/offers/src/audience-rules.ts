import type { BehaviorFields } from '@dropbell/schemas/behavior-fields'
import type { estypes } from '@elastic/elasticsearch'
import type { TriggerKind } from './detect-trigger.ts'
import type { OfferConfig } from './offer-config.ts'

export interface AudienceRule {
  readonly actionTypes: readonly string[]
  readonly days: number
}

export type AudienceRules = Readonly<Record<TriggerKind, AudienceRule>>

export type AudienceDays = Pick<OfferConfig, 'INTERESTED_USER_DAYS' | 'CART_USER_DAYS'>

export const audienceRules = ({ INTERESTED_USER_DAYS, CART_USER_DAYS }: AudienceDays): AudienceRules => ({
  'price-drop': { actionTypes: ['VIEW', 'CLICK', 'ADD_TO_CART'], days: INTERESTED_USER_DAYS },
  restock: { actionTypes: ['ADD_TO_CART'], days: CART_USER_DAYS },
})

const dayMs = 86_400_000

/** What happened to a product, and when, in milliseconds since the epoch: an audience is reckoned from there. */
export interface AudienceOrigin {
  readonly productId: string
  readonly timestamp: number
}

/**
 * Behaviours in (event − days, event]. Nothing after the event: who came later saw the new price already, and a replay
 * would find more people than the first time.
 */
export const audienceFilters = (
  { productId, timestamp }: AudienceOrigin,
  { actionTypes, days }: AudienceRule,
  fields: BehaviorFields,
): estypes.QueryDslQueryContainer[] => [
  { term: { [fields.productId]: productId } },
  { terms: { [fields.actionType]: [...actionTypes] } },
  { range: { [fields.timestamp]: { gt: timestamp - days * dayMs, lte: timestamp, format: 'epoch_millis' } } },
]

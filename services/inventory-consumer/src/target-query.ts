import { chunksOf } from '@dropbell/shared/chunks-of'
import type { estypes } from '@elastic/elasticsearch'
import type { BehaviorFields } from './behavior-fields.ts'
import type { TriggerKind } from './detect-trigger.ts'

/** An event whose audience is to be found. */
export interface TargetTrigger {
  readonly kind: TriggerKind
  readonly eventId: string
  readonly productId: string
  /** When the event happened, in milliseconds since the epoch: its audience is reckoned from there, not from now. */
  readonly timestamp: number
  /** Where to go on in an audience of which a part was served before. */
  readonly after?: AudienceCursor
}

export interface AudienceCursor {
  readonly userId: string
  readonly servedUsers: number
}

export interface AudienceRule {
  readonly actionTypes: readonly string[]
  readonly days: number
}

export type AudienceRules = Readonly<Record<TriggerKind, AudienceRule>>

export interface AudienceDays {
  INTERESTED_USER_DAYS: number
  CART_USER_DAYS: number
}

export const audienceRules = ({ INTERESTED_USER_DAYS, CART_USER_DAYS }: AudienceDays): AudienceRules => ({
  'price-drop': { actionTypes: ['VIEW', 'CLICK', 'ADD_TO_CART'], days: INTERESTED_USER_DAYS },
  restock: { actionTypes: ['ADD_TO_CART'], days: CART_USER_DAYS },
})

const dayMs = 86_400_000

// Three clauses each: far from the 1,024 that even the smallest node allows.
const mostTriggersPerRequest = 200

/**
 * Splits a batch into the fewest requests whose answers cannot be confused. An answer says for which product a user
 * was found and not by which rule, so a request has one trigger per product; a trigger that goes on in its middle has
 * a request of its own, because a request begins in one place only. Triggers of one product keep their order.
 */
export const groupTriggers = <T extends TargetTrigger>(triggers: readonly T[]): (readonly T[])[] => {
  const layers: T[][] = []
  const seen = new Map<string, number>()
  for (const trigger of triggers.filter(({ after }) => after === undefined)) {
    const layer = seen.get(trigger.productId) ?? 0
    seen.set(trigger.productId, layer + 1)
    layers[layer] = [...(layers[layer] ?? []), trigger]
  }
  const resumed = triggers.filter(({ after }) => after !== undefined).map((trigger) => [trigger])
  return [...layers.flatMap((layer) => [...chunksOf(layer, mostTriggersPerRequest)]), ...resumed]
}

export type TargetKey = Readonly<Record<'productId' | 'userId', string | number>>

export interface TargetQuery {
  index: string
  fields: BehaviorFields
  rules: AudienceRules
  triggers: readonly TargetTrigger[]
  pageSize: number
  after: TargetKey | undefined
}

export const targetQuery = ({ index, fields, rules, triggers, pageSize, after }: TargetQuery) =>
  ({
    index,
    size: 0,
    track_total_hits: false,
    // An alias that points nowhere, or a shard that does not answer, must not look like a small audience.
    allow_no_indices: false,
    allow_partial_search_results: false,
    // Every page is asked for once: keeping it would only push others out.
    request_cache: false,
    query: {
      bool: {
        filter: {
          bool: {
            should: triggers.map((trigger) => audienceOf(trigger, rules[trigger.kind], fields)),
            minimum_should_match: 1,
          },
        },
      },
    },
    aggs: {
      targets: {
        composite: {
          size: pageSize,
          // In the order in which our template sorts the index, so that a page ends without reading the rest.
          sources: [
            { productId: { terms: { field: fields.productId } } },
            { userId: { terms: { field: fields.userId } } },
          ],
          ...(after && { after }),
        },
      },
    },
  }) satisfies estypes.SearchRequest

/**
 * Behaviours in (event − days, event]. Nothing after the event: who came later saw the new price already, and a replay
 * would find more people than the first time.
 */
const audienceOf = (
  { productId, timestamp }: TargetTrigger,
  { actionTypes, days }: AudienceRule,
  fields: BehaviorFields,
): estypes.QueryDslQueryContainer => ({
  bool: {
    filter: [
      { term: { [fields.productId]: productId } },
      { terms: { [fields.actionType]: [...actionTypes] } },
      { range: { [fields.timestamp]: { gt: timestamp - days * dayMs, lte: timestamp, format: 'epoch_millis' } } },
    ],
  },
})

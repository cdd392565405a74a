import { type AudienceRules, audienceFilters } from '@dropbell/offers/audience-rules'
import type { TriggerKind } from '@dropbell/offers/detect-trigger'
import type { AudienceCursor } from '@dropbell/offers/fanout-state'
import type { BehaviorFields } from '@dropbell/schemas/behavior-fields'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { estypes } from '@elastic/elasticsearch'

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
            should: triggers.map(
              (trigger): estypes.QueryDslQueryContainer => ({
                bool: { filter: audienceFilters(trigger, rules[trigger.kind], fields) },
              }),
            ),
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

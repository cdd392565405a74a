import {
  type AudienceOrigin,
  type AudienceRule,
  type AudienceRules,
  audienceFilters,
} from '@dropbell/offers/audience-rules'
import type { TriggerKind } from '@dropbell/offers/detect-trigger'
import { type BehaviorFields, createBehaviorFields } from '@dropbell/schemas/behavior-fields'
import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { BehaviourFinding } from '../facts.ts'
import type { Behaviour } from '../trace.ts'

/** Whether a user was a target, by the rules and the behaviours of now. */
export interface BehaviourSource {
  find(userId: string, kind: TriggerKind, origin: AudienceOrigin): Promise<BehaviourFinding>
}

export interface BehaviourSourceOptions {
  client: Client
  index: string
  rules: AudienceRules
}

export const createBehaviourSource = ({ client, index, rules }: BehaviourSourceOptions): BehaviourSource => {
  const readFields = createBehaviorFields({ client, index })

  const newest = async (
    filter: estypes.QueryDslQueryContainer[],
    fields: BehaviorFields,
  ): Promise<Behaviour | null> => {
    try {
      const { hits } = await client.search<{ actionType?: unknown; timestamp?: unknown }>({
        index,
        size: 1,
        allow_no_indices: false,
        track_total_hits: false,
        query: { bool: { filter } },
        sort: [{ [fields.timestamp]: 'desc' }],
        _source: ['actionType', 'timestamp'],
      })
      const source = hits.hits[0]?._source
      return source ? { actionType: String(source.actionType), at: toMs(source.timestamp) } : null
    } catch (error) {
      throw classifyElasticsearchError(error)
    }
  }

  const find = async (userId: string, rule: AudienceRule, origin: AudienceOrigin): Promise<BehaviourFinding> => {
    const fields = await readFields()
    if (!fields) return { rule, match: null, nearest: null }
    const ofUser = { term: { [fields.userId]: userId } }
    const match = await newest([ofUser, ...audienceFilters(origin, rule, fields)], fields)
    if (match) return { rule, match, nearest: null }
    const before = { range: { [fields.timestamp]: { lte: origin.timestamp, format: 'epoch_millis' } } }
    const ofProduct = { term: { [fields.productId]: origin.productId } }
    return { rule, match, nearest: await newest([ofUser, ofProduct, before], fields) }
  }

  return { find: (userId, kind, origin) => find(userId, rules[kind], origin) }
}

/** Other teams write it as a number or as text. */
const toMs = (timestamp: unknown): number =>
  typeof timestamp === 'string' && !/^\d+$/.test(timestamp) ? Date.parse(timestamp) : Number(timestamp)

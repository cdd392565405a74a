import { audienceRules } from '@dropbell/offers/audience-rules'
import type { AudienceCursor } from '@dropbell/offers/fanout-state'
import { createBehaviorFields, type ReadBehaviorFields } from '@dropbell/schemas/behavior-fields'
import type { IndexConfig } from '@dropbell/schemas/index-config'
import { classifyElasticsearchError } from '@dropbell/shared/elasticsearch-failure'
import { PermanentError } from '@dropbell/shared/errors'
import type { Client, estypes } from '@elastic/elasticsearch'
import type { InventoryConfig } from './config.ts'
import { groupTriggers, type TargetKey, type TargetTrigger, targetQuery } from './target-query.ts'

export interface TargetPage<T extends TargetTrigger = TargetTrigger> {
  readonly trigger: T
  /** Distinct, in the index's order of user ids. Another page of the same trigger has other users. */
  readonly userIds: readonly string[]
  /** Of an audience that is left to somebody else from here on. */
  readonly rest?: AudienceCursor
  /** Of an audience that is larger than TARGET_USER_LIMIT: there are more users, and nobody is to tell them. */
  readonly cut?: true
}

export interface ResolveOptions {
  /** Each audience is left after so many users, if it has more. */
  most?: number
}

/**
 * Streams the audiences of a batch. The next request is made when the pages of the last are used up and another is
 * asked for: whoever reads slowly is not flooded, and whoever stops reading stops the requests.
 */
export type ResolveTargets = <T extends TargetTrigger>(
  triggers: readonly T[],
  options?: ResolveOptions,
) => AsyncGenerator<TargetPage<T>, void, undefined>

export interface TargetResolverOptions {
  client: Client
  config: Pick<
    InventoryConfig & IndexConfig,
    'USER_BEHAVIOR_INDEX' | 'INTERESTED_USER_DAYS' | 'CART_USER_DAYS' | 'TARGET_USER_LIMIT' | 'TARGET_PAGE_SIZE'
  >
  readFields?: ReadBehaviorFields
}

/** What is known of an audience while it streams. `users` counts those before a cursor too. */
interface Audience<T> {
  readonly trigger: T
  users: number
  /** How many users are still wanted. */
  wanted: number
}

export const createTargetResolver = ({
  client,
  config,
  readFields = createBehaviorFields({ client, index: config.USER_BEHAVIOR_INDEX }),
}: TargetResolverOptions): ResolveTargets => {
  const { USER_BEHAVIOR_INDEX: index, TARGET_PAGE_SIZE: pageSize, TARGET_USER_LIMIT: limit } = config
  const rules = audienceRules(config)

  const readPage = async (triggers: readonly TargetTrigger[], after: TargetKey | undefined): Promise<ProductRun[]> => {
    const fields = await readFields()
    if (!fields) return []
    const query = targetQuery({ index, fields, rules, triggers, pageSize, after })
    try {
      const { aggregations } = await client.search<unknown, { targets: CompositeAnswer }>(query)
      return runsOf(aggregations?.targets, pageSize)
    } catch (error) {
      throw classifyElasticsearchError(error)
    }
  }

  /** How many of the users found are wanted and still fit. More than that is seen, not guessed: an audience as large as the limit is whole. */
  const take = (audience: Audience<TargetTrigger>, found: number): { taken: number; cut: boolean } => {
    const wanted = Math.min(found, audience.wanted)
    const taken = Math.max(0, Math.min(wanted, limit - audience.users))
    audience.users += taken
    audience.wanted -= taken
    return { taken, cut: taken < wanted }
  }

  async function* resolveGroup<T extends TargetTrigger>(
    group: readonly T[],
    { most = Number.POSITIVE_INFINITY }: ResolveOptions,
  ): AsyncGenerator<TargetPage<T>, void, undefined> {
    const open = new Map<string, Audience<T>>(
      group.map((trigger) => [trigger.productId, { trigger, users: trigger.after?.servedUsers ?? 0, wanted: most }]),
    )
    let after = cursorOf(group)
    while (open.size > 0) {
      const runs = await readPage(
        [...open.values()].map(({ trigger }) => trigger),
        after,
      )
      after = runs.at(-1)?.next
      for (const { productId, userIds, next } of runs) {
        const audience = open.get(productId)
        // A document that names several products is also counted for those nobody asked about.
        if (!audience) continue
        const { taken, cut } = take(audience, userIds.length)
        const users = userIds.slice(0, taken)
        const mayHaveMore = taken < userIds.length || next !== undefined
        const isLeft = !cut && mayHaveMore && audience.wanted === 0
        // Leaving a product out of the next request is how its rest is skipped: what follows the cursor is the next product.
        if (cut || isLeft || !mayHaveMore) open.delete(productId)
        yield {
          trigger: audience.trigger,
          userIds: users,
          ...(cut && { cut }),
          ...(isLeft && { rest: { userId: users.at(-1) as string, servedUsers: audience.users } }),
        }
      }
      if (!after) break
    }
  }

  return async function* resolveTargets(triggers, options = {}) {
    for (const group of groupTriggers(triggers)) yield* resolveGroup(group, options)
  }
}

const cursorOf = ([first]: readonly TargetTrigger[]): TargetKey | undefined =>
  first?.after && { productId: first.productId, userId: first.after.userId }

type CompositeAnswer = Omit<estypes.AggregationsCompositeAggregate, 'buckets' | 'after_key'> & {
  buckets: { key: TargetKey }[]
  after_key?: TargetKey
}

/** The users of one product on one page. `next` is where the next page begins, if the page ends within this product. */
interface ProductRun {
  readonly productId: string
  readonly userIds: string[]
  next?: TargetKey
}

/** Buckets come sorted by product. A page shorter than asked for is the last. */
const runsOf = (answer: CompositeAnswer | undefined, pageSize: number): ProductRun[] => {
  const runs: ProductRun[] = []
  for (const { key } of answer?.buckets ?? []) {
    const productId = idOf(key.productId)
    const run = runs.at(-1)
    if (run?.productId === productId) run.userIds.push(idOf(key.userId))
    else runs.push({ productId, userIds: [idOf(key.userId)] })
  }
  const last = runs.at(-1)
  if (last && answer?.after_key && answer.buckets.length === pageSize) last.next = answer.after_key
  return runs
}

/** JSON has rounded such a number on its way, and somebody else would be told. */
const idOf = (key: string | number): string => {
  if (typeof key === 'string' || Number.isSafeInteger(key)) return String(key)
  throw new PermanentError('BEHAVIOR_ID_TOO_LARGE', `the id ${key} is beyond 2^53: index identifiers as keywords`)
}

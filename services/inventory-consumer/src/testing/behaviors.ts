import { createRandom } from '@dropbell/shared/testing/seeded-random'
import type { Client } from '@elastic/elasticsearch'
import type { TargetTrigger } from '../target-query.ts'

export interface Behavior {
  productId: string
  userId: string
  actionType: string
  timestamp: number
}

export const dayMs = 86_400_000

const actionTypes = ['VIEW', 'VIEW', 'CLICK', 'ADD_TO_CART', 'PURCHASE', 'SEARCH']

/** Around a moment: 45 days before it to 5 after, some of them exactly on the edges of what counts. */
export const randomBehaviors = (count: number, { seed, around }: { seed: number; around: number }): Behavior[] => {
  const random = createRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const edges = [around, around + 1, around - 30 * dayMs, around - 30 * dayMs + 1, around - 7 * dayMs]
  return Array.from({ length: count }, () => ({
    // A few products have most of the users.
    productId: `product-${Math.floor(40 * random() ** 2)}`,
    userId: `user-${below(2_500)}`,
    actionType: actionTypes[below(actionTypes.length)] ?? 'VIEW',
    timestamp: (random() < 0.05 ? edges[below(edges.length)] : undefined) ?? around - 45 * dayMs + below(50 * dayMs),
  }))
}

/** Who is to be told, by looking at every behaviour. */
export const bruteForceTargets = (
  behaviors: readonly Behavior[],
  { kind, productId, timestamp }: TargetTrigger,
  days: { interested: number; cart: number },
): string[] => {
  const counted = kind === 'restock' ? ['ADD_TO_CART'] : ['VIEW', 'CLICK', 'ADD_TO_CART']
  const ageOf = (behavior: Behavior): number => timestamp - behavior.timestamp
  const oldest = (kind === 'restock' ? days.cart : days.interested) * dayMs
  const found = behaviors.filter(
    (behavior) =>
      behavior.productId === productId &&
      counted.includes(behavior.actionType) &&
      ageOf(behavior) >= 0 &&
      ageOf(behavior) < oldest,
  )
  return [...new Set(found.map(({ userId }) => userId))].sort()
}

const documentsPerRequest = 10_000

export const indexBehaviors = async (client: Client, index: string, behaviors: readonly object[]): Promise<void> => {
  for (let start = 0; start < behaviors.length; start += documentsPerRequest) {
    const operations = behaviors
      .slice(start, start + documentsPerRequest)
      .flatMap((behavior) => [{ index: {} }, behavior])
    const { errors } = await client.bulk({ index, operations })
    if (errors) throw new Error('a behaviour was not indexed')
  }
  await client.indices.refresh({ index })
}

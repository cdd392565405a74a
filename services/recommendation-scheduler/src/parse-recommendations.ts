import { z } from 'zod'
import type { ApiAnswer } from './recommendation-api.ts'

/** What ends up in a notification, the ids of products in a list there. */
const plain = /^\P{Cc}*$/u
const plainId = /^[^\p{Cc},]+$/u

const bodySchema = z.object({
  userId: z.string(),
  strategy: z.string().max(200).regex(plain),
  recommendations: z.array(
    z.object({ productId: z.string().max(200).regex(plainId), productName: z.string().max(2_000), score: z.number() }),
  ),
})

/** What the API said, if it makes sense: of this user, and no more products than were asked for. */
export const parseRecommendations = (body: string, userId: string, limit: number): ApiAnswer => {
  const parsed = bodySchema.safeParse(jsonOf(body))
  // Somebody else's recommendations are worse than none.
  if (!parsed.success || parsed.data.userId !== userId) return { kind: 'failed', reason: 'nonsense' }
  const { strategy, recommendations } = parsed.data
  const products = recommendations.slice(0, limit).map(({ productId, productName }) => ({ productId, productName }))
  return products.length === 0 ? { kind: 'nothing' } : { kind: 'recommended', recommendation: { strategy, products } }
}

const jsonOf = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

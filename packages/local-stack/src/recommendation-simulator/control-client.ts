import type { Behaviour } from './behaviour.ts'
import { controlPath } from './control-routes.ts'
import type { ShopReport } from './shop.ts'

export type { Behaviour, SimulatedProduct } from './behaviour.ts'
export type { ShopReport } from './shop.ts'

/** One shop of a running simulator, as tests, demo and bench see it. Take a shop of your own: they are separate. */
export interface RecommendationControl {
  /** For RECOMMENDATION_API_URL. */
  readonly url: string
  /** What happens to requests from now on, in order; to all of the shop, or to one user, which then comes first. */
  script(behaviours: Behaviour | readonly Behaviour[], userId?: string): Promise<void>
  report(): Promise<ShopReport>
  /** How often each user was asked about. */
  users(): Promise<Record<string, number>>
  /** Forgets scripts and counts of the shop. */
  reset(): Promise<void>
}

/** `endpoint` is where the stack says that the simulator is; without a shop, what is asked there directly. */
export const createRecommendationControl = (endpoint: string, shop = 'default'): RecommendationControl => {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${endpoint}${controlPath(shop)}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The simulator answers ${response.status} to ${method} ${path}: ${text}`)
    return JSON.parse(text) as T
  }
  return {
    url: `${endpoint}/shops/${encodeURIComponent(shop)}`,
    script: async (behaviours, userId) => {
      await ask('PUT', '/script', { behaviours: [behaviours].flat(), ...(userId !== undefined && { userId }) })
    },
    report: () => ask('GET', ''),
    users: () => ask('GET', '/users'),
    reset: async () => {
      await ask('DELETE', '')
    },
  }
}

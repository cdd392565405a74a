import { type Answer, jsonAnswer } from '../fcm-simulator/answer.ts'
import type { Behaviour, SimulatedProduct } from './behaviour.ts'

const madeUp: SimulatedProduct[] = ['운동화', '모자', '가방', '우산', '시계'].map((productName, index) => {
  return { productId: `P-${index + 1}`, productName, score: 1 - index / 10 }
})

const defaultLimit = 3

/** The answer of `GET /api/v1/recommendations/{userId}?limit=`. */
export const recommend = (
  userId: string,
  limit: string | null,
  { products = madeUp, strategy = 'popular' }: Omit<Extract<Behaviour, { do: 'recommend' }>, 'do'>,
): Answer => {
  const most = limit === null ? defaultLimit : Number(limit)
  if (!Number.isInteger(most) || most < 1) return jsonAnswer(400, { message: 'limit must be a whole number above 0' })
  return jsonAnswer(200, { userId, strategy, recommendations: products.slice(0, most) })
}

import { gateKeys } from '@dropbell/notification-producer/gate-keys'
import { parseHeld } from '@dropbell/notification-producer/gate-scripts'
import type { TriggerKind } from '@dropbell/offers/detect-trigger'
import { createReadFanoutState, type FanoutState, fanoutIdOf } from '@dropbell/offers/fanout-state'
import { createReadProductStates, type ProductState } from '@dropbell/offers/product-state'
import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import { redisAnswers } from '@dropbell/shared/redis-answers'
import type { Redis } from 'ioredis'
import type { HeldSlot } from '../facts.ts'

/** What Redis remembers, read and never written. */
export interface RedisSource {
  slot(userId: string, subject: string, type: NotificationType): Promise<HeldSlot | undefined>
  countOfDay(userId: string, date: string): Promise<number | null>
  product(productId: string): Promise<ProductState>
  fanout(kind: TriggerKind, eventId: string): Promise<FanoutState>
}

const { answer } = redisAnswers('REDIS_UNAVAILABLE', 'Redis did not answer')

export const createRedisSource = (client: Redis): RedisSource => {
  const keys = gateKeys()
  const readStates = createReadProductStates({ client })
  const readFanout = createReadFanoutState({ client })
  return {
    slot: async (userId, subject, type) => {
      const held = await answer(client.get(keys.sent(userId, subject, type)))
      return held === null ? undefined : parseHeld(held)
    },
    countOfDay: async (userId, date) => {
      const count = await answer(client.get(keys.daily(userId, date)))
      return count === null ? null : Number(count)
    },
    product: async (productId) => (await readStates([productId])).get(productId) ?? {},
    fanout: (kind, eventId) => readFanout(fanoutIdOf(kind, eventId)),
  }
}

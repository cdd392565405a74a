import {
  type AudienceCursor,
  createReadFanoutState,
  defaultFanoutPrefix,
  type FanoutState,
} from '@dropbell/offers/fanout-state'
import { notificationFanoutTopic } from '@dropbell/schemas/topics'
import { redisAnswers } from '@dropbell/shared/redis-answers'
import type { Redis, Result } from 'ioredis'

/**
 * The checkpoint of each fan-out. A request in Kafka says that there is something to do; where to go on is said here, so
 * that a request that comes again, or twice, repeats nothing. It only ever goes forward: an instance that slept and wakes up
 * takes nothing back.
 */
export interface FanoutProgress {
  read(fanoutId: string): Promise<FanoutState>
  advance(fanoutId: string, reached: AudienceCursor): Promise<void>
  handOver(fanoutId: string, servedUsers: number): Promise<void>
  end(fanoutId: string): Promise<void>
}

export interface FanoutProgressOptions {
  client: Redis
  keyPrefix?: string
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    advanceFanout(key: string, ttlSeconds: number, servedUsers: number, userId: string): Result<number, Context>
    handOverFanout(key: string, ttlSeconds: number, servedUsers: number): Result<number, Context>
  }
}

const advance = `
if tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[1], 'servedUsers') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'servedUsers', ARGV[2], 'userId', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
`

const handOver = `
if tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[1], 'handedOverAt') or '0') then return 0 end
redis.call('HSET', KEYS[1], 'handedOverAt', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
`

const { answer, execute } = redisAnswers(
  'FANOUT_PROGRESS_UNAVAILABLE',
  'Redis did not answer for the progress of a fan-out',
)

const daySeconds = 86_400

// A day longer than a request is kept in its topic.
const ttlSeconds = notificationFanoutTopic.retentionMs / 1_000 + daySeconds

export const createFanoutProgress = ({
  client,
  keyPrefix = defaultFanoutPrefix,
}: FanoutProgressOptions): FanoutProgress => {
  client.defineCommand('advanceFanout', { numberOfKeys: 1, lua: advance })
  client.defineCommand('handOverFanout', { numberOfKeys: 1, lua: handOver })
  const keyOf = (fanoutId: string): string => `${keyPrefix}${fanoutId}`
  return {
    read: createReadFanoutState({ client, keyPrefix }),
    advance: async (fanoutId, { userId, servedUsers }) => {
      await answer(client.advanceFanout(keyOf(fanoutId), ttlSeconds, servedUsers, userId))
    },
    handOver: async (fanoutId, servedUsers) => {
      await answer(client.handOverFanout(keyOf(fanoutId), ttlSeconds, servedUsers))
    },
    end: async (fanoutId) => {
      const key = keyOf(fanoutId)
      await execute(client.multi().hset(key, 'ended', 1).expire(key, ttlSeconds))
    },
  }
}

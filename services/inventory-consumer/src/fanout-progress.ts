import { notificationFanoutTopic } from '@dropbell/schemas/topics'
import type { Redis, Result } from 'ioredis'
import { redisAnswers } from './redis-answers.ts'
import type { AudienceCursor } from './target-query.ts'

/** How far a fan-out has come, as far as anybody knows. */
export interface FanoutState {
  /** Everybody up to here is told or refused. */
  readonly reached: AudienceCursor | undefined
  /** So many users had been served when the newest request was published: an older request has nothing to say. */
  readonly handedOverAt: number
  readonly ended: boolean
}

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
  keyPrefix = 'dropbell:fanout:',
}: FanoutProgressOptions): FanoutProgress => {
  client.defineCommand('advanceFanout', { numberOfKeys: 1, lua: advance })
  client.defineCommand('handOverFanout', { numberOfKeys: 1, lua: handOver })
  const keyOf = (fanoutId: string): string => `${keyPrefix}${fanoutId}`
  return {
    read: async (fanoutId) => {
      const { userId, servedUsers, handedOverAt = 0, ended } = await answer(client.hgetall(keyOf(fanoutId)))
      const reached = userId === undefined ? undefined : { userId, servedUsers: Number(servedUsers) }
      return { reached, handedOverAt: Number(handedOverAt), ended: ended !== undefined }
    },
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

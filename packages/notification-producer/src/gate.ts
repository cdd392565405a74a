import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { Redis } from 'ioredis'
import pLimit from 'p-limit'
import type { NotificationConfig } from './config.ts'
import { gateKeys } from './gate-keys.ts'
import type { GateRedis } from './gate-redis.ts'
import { parseHeld } from './gate-scripts.ts'
import type { LocalDate } from './local-date.ts'
import { toRedisFailure } from './redis-failure.ts'

export interface Slot {
  readonly userId: string
  /** What the user is told about once in a while: a product, or what stands for one. */
  readonly subject: string
  readonly type: NotificationType
  readonly eventId: string
}

export interface SlotRequest extends Slot {
  /** The user's. */
  readonly date: LocalDate
}

export type GateAnswer =
  | { readonly kind: 'admitted'; readonly dayCount: number }
  /** By this very event: a retry goes on. */
  | { readonly kind: 'held' }
  | { readonly kind: 'duplicate'; readonly blockingEventId: string }
  | { readonly kind: 'daily-limit'; readonly dayCount: number }

/** What was admitted a while ago, and is only sent now. */
export interface ResendRequest extends SlotRequest {
  readonly notificationId: string
  /** Whether `date`, which is today's, is not the one it was admitted on. */
  readonly isOtherDay: boolean
}

/** Deduplication and daily limit. All functions fail as a whole, and can be called again with the same arguments. */
export interface Gate {
  /** In the order of the requests. After a failure some may hold their slot already: they will be told `held`. */
  admit(requests: readonly SlotRequest[]): Promise<GateAnswer[]>
  /**
   * The slot is `held` from now on, and on another day counts for that day too; or another event holds it, or the day is
   * full. Asked again for the same notification and date it counts nothing twice.
   */
  resend(requests: readonly ResendRequest[]): Promise<GateAnswer[]>
  /** For a holder that decides not to publish, never after a publish. Says which slots were still held, and are free. */
  release(slots: readonly Slot[]): Promise<boolean[]>
}

export interface GateOptions {
  redis: Pick<GateRedis, 'ready'>
  config: Pick<NotificationConfig, 'DUPLICATE_PREVENTION_HOURS' | 'DAILY_LIMIT_PER_USER'>
  /** The one that `createGateRedis` was given. */
  prefix?: string
}

const hourMs = 3_600_000

// From its first moment east of the date line to its last west of it, a date lasts 50 hours: a user who travels does
// not get a fresh count for a date that was counted already.
const dailyTtlMs = 51 * hourMs

// Far from `commandTimeout`, which begins for all of a pipeline when it is written.
const pipelineLength = 200

// Several fan-outs ask at once: what Redis has not answered yet must not grow until it times out.
const pipelinesAtOnce = 5

type Pipeline = ReturnType<Redis['pipeline']>

export const createGate = ({ redis, config, prefix }: GateOptions): Gate => {
  const keys = gateKeys(prefix)
  const inTurn = pLimit(pipelinesAtOnce)
  const sentTtlMs = config.DUPLICATE_PREVENTION_HOURS * hourMs

  const askInChunks = async <Item, Reply>(
    items: readonly Item[],
    ask: (pipeline: Pipeline, item: Item) => unknown,
  ): Promise<Reply[]> => {
    const replies: Reply[] = []
    for (const chunk of chunksOf(items, pipelineLength)) {
      const results = await inTurn(async () => {
        const pipeline = (await redis.ready()).pipeline()
        for (const item of chunk) ask(pipeline, item)
        return pipeline.exec().catch((error) => {
          throw toRedisFailure(error)
        })
      })
      for (const [error, reply] of results ?? []) {
        if (error !== null) throw toRedisFailure(error)
        replies.push(reply as Reply)
      }
    }
    if (replies.length !== items.length) throw toRedisFailure(new Error('questions were left unanswered'))
    return replies
  }

  return {
    admit: async (requests) => {
      const replies = await askInChunks<SlotRequest, [string, string]>(requests, (pipeline, request) =>
        pipeline.gateAdmit(
          keys.sent(request.userId, request.subject, request.type),
          keys.daily(request.userId, request.date),
          request.eventId,
          request.date,
          sentTtlMs,
          config.DAILY_LIMIT_PER_USER,
          dailyTtlMs,
        ),
      )
      return replies.map(toAnswer)
    },

    resend: async (requests) => {
      const replies = await askInChunks<ResendRequest, [string, string]>(requests, (pipeline, request) =>
        pipeline.gateResend(
          keys.sent(request.userId, request.subject, request.type),
          keys.daily(request.userId, request.date),
          keys.carried(request.userId, request.date, request.notificationId),
          request.eventId,
          request.date,
          sentTtlMs,
          config.DAILY_LIMIT_PER_USER,
          dailyTtlMs,
          request.isOtherDay ? 1 : 0,
        ),
      )
      return replies.map(toAnswer)
    },

    release: async (slots) => {
      const sentKey = ({ userId, subject, type }: Slot): string => keys.sent(userId, subject, type)
      const values = await askInChunks<Slot, string | null>(slots, (pipeline, slot) => pipeline.get(sentKey(slot)))
      const held = slots.flatMap((slot, index) => {
        const value = values[index]
        return typeof value === 'string' && parseHeld(value).eventId === slot.eventId ? [{ slot, value }] : []
      })
      const freed = await askInChunks<(typeof held)[number], number>(held, (pipeline, { slot, value }) =>
        pipeline.gateRelease(sentKey(slot), keys.daily(slot.userId, parseHeld(value).date), value),
      )
      const freedSlots = new Set(held.flatMap(({ slot }, index) => (freed[index] === 1 ? [slot] : [])))
      return slots.map((slot) => freedSlots.has(slot))
    },
  }
}

const toAnswer = ([kind, detail]: [string, string]): GateAnswer => {
  switch (kind) {
    case 'admitted':
    case 'daily-limit':
      return { kind, dayCount: Number(detail) }
    case 'duplicate':
      return { kind, blockingEventId: detail }
    case 'held':
      return { kind }
    default:
      throw toRedisFailure(new Error(`unexpected answer ${kind}`))
  }
}

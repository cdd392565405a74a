import { setImmediate } from 'node:timers/promises'
import { notificationConfig } from '@dropbell/notification-producer/config'
import type { ProduceNotifications } from '@dropbell/notification-producer/produce-notifications'
import { samplePriceDrop } from '@dropbell/notification-producer/testing/sample-triggers'
import type { AudienceCursor } from '@dropbell/offers/fanout-state'
import type { ProductState } from '@dropbell/offers/product-state'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { TransientError } from '@dropbell/shared/errors'
import { describe, expect, it, vi } from 'vitest'
import { createFanoutTurn } from './fanout-turn.ts'
import type { ResolveTargets, TargetPage } from './resolve-targets.ts'
import type { TargetTrigger } from './target-query.ts'

const config = {
  ...loadConfig(defineConfig(notificationConfig), { NOTIFICATION_BATCH_SIZE: '2' }),
  FANOUT_TURN_MS: 1e6,
}
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const { eventId, productId, eventTimestamp } = samplePriceDrop

interface Setting {
  pages?: { userIds: string[]; cut?: true }[]
  state?: () => ProductState
  now?: () => number
  turnMs?: number
  pace?: (keepWaiting: () => Promise<boolean>) => Promise<boolean>
  after?: AudienceCursor
  onPublish?: (told: readonly string[]) => void
  produce?: ProduceNotifications
}

const everybody = [{ userIds: ['a', 'b', 'c'] }, { userIds: ['d', 'e'] }]

const serve = async (setting: Setting = {}) => {
  const { pages = everybody, state = () => ({}), now = () => eventTimestamp, turnMs = 1e6, pace, after } = setting
  const told: string[] = []
  const reached: AudienceCursor[] = []
  let interrupted = false
  const resolveTargets = async function* <T extends TargetTrigger>([trigger]: readonly T[]) {
    for (const page of pages) yield { ...page, trigger } as TargetPage<T>
  } as ResolveTargets
  const produceAll: ProduceNotifications = async function* (parts) {
    for await (const part of parts) {
      told.push(...part.flatMap(({ users }) => users))
      setting.onPublish?.(told)
      yield { pages: part, published: 1, refused: {} }
    }
  }
  const progress = vi.fn(async () => {})
  const turn = createFanoutTurn({
    resolveTargets,
    produceNotifications: setting.produce ?? produceAll,
    readProductState: async () => state(),
    pacer: {
      begin: () => ({
        wait: async (_, keepWaiting) => (pace ? pace(keepWaiting) : true),
        settled: () => {},
        end: () => {},
      }),
    },
    giveWay: async () => {},
    config: { ...config, FANOUT_TURN_MS: turnMs },
    clock: { now, wait: async () => {} },
  })
  const target = { kind: 'price-drop' as const, eventId, productId, timestamp: eventTimestamp, ...(after && { after }) }
  const end = await turn(
    {
      trigger: samplePriceDrop,
      target,
      origin: { traceparent, replayCount: 0 },
      onReached: async (cursor) => {
        reached.push(cursor)
        if (told.includes('interrupt')) interrupted = true
      },
    },
    { signal: new AbortController().signal, progress, isInterrupted: () => interrupted },
  )
  return { end, told, reached, progress }
}

describe('a turn of a fan-out', () => {
  it('tells everybody in parts, and says how far it has come after each', async () => {
    const { end, told, reached } = await serve({ after: { userId: '0', servedUsers: 10 } })
    expect(end).toBe('told')
    expect(told).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(reached).toEqual([
      { userId: 'b', servedUsers: 12 },
      { userId: 'c', servedUsers: 13 },
      { userId: 'e', servedUsers: 15 },
    ])
  })

  it('has told as many as may be when the audience is cut', async () => {
    expect(await serve({ pages: [{ userIds: ['a', 'b'] }, { userIds: [], cut: true }] })).toMatchObject({
      end: 'cut',
      told: ['a', 'b'],
    })
  })

  it('is over when its time is up, but not before it has told somebody', async () => {
    const { end, told } = await serve({ turnMs: -1 })
    expect(end).toBe('turn-over')
    expect(told).toEqual(['a', 'b'])
  })

  it('stops before the part for which the price is no longer true', async () => {
    let price = samplePriceDrop.currentPrice
    const { end, told } = await serve({
      state: () => ({ price: { value: price, at: eventTimestamp + 1 } }),
      onPublish: () => {
        price += 1
      },
    })
    expect(end).toBe('price-rose')
    expect(told).toEqual(['a', 'b'])
  })

  it('stops when it sold out, and when it is too late to speak of it', async () => {
    const soldOut = { stock: { value: 0, at: eventTimestamp + 1 } }
    expect(await serve({ state: () => soldOut })).toMatchObject({ end: 'sold-out', told: [] })
    expect(await serve({ now: () => eventTimestamp + 86_400_001 })).toMatchObject({ end: 'expired', told: [] })
    expect(await serve({ now: () => eventTimestamp + 86_400_000 })).toMatchObject({ end: 'told' })
  })

  it('gives way when the consumer stops, with what it has begun finished', async () => {
    const { end, told } = await serve({ pages: [{ userIds: ['a', 'interrupt', 'c', 'd', 'e', 'f'] }] })
    expect(end).toBe('interrupted')
    expect(told).toEqual(['a', 'interrupt'])
  })

  it('tells that it is alive while it waits for room, and looks at the offer all the while', async () => {
    let looks = 0
    const rising = (): ProductState => ({ price: { value: ++looks < 4 ? 1 : 1_000, at: eventTimestamp } })
    const waitForEver = async (keepWaiting: () => Promise<boolean>): Promise<boolean> => {
      while (await keepWaiting());
      return false
    }
    const { end, told, progress } = await serve({ state: rising, pace: waitForEver })
    expect(end).toBe('price-rose')
    expect(told).toEqual([])
    expect(progress).toHaveBeenCalledTimes(4)
  })

  it('fails as publishing does, and waits for room no longer', async () => {
    let asked = 0
    let stillWaits = false
    const failing = serve({
      pace: async (keepWaiting) => {
        if (++asked === 1) return true
        do {
          stillWaits = await keepWaiting()
          await setImmediate()
        } while (stillWaits)
        return false
      },
      produce: async function* (parts) {
        const [first] = [parts[Symbol.asyncIterator](), parts[Symbol.asyncIterator]()].map((part) => part.next())
        await first
        await vi.waitFor(() => expect(stillWaits).toBe(true))
        throw new TransientError('PUBLISH_FAILED', 'x', { dependency: 'kafka' })
      },
    })
    await expect(failing).rejects.toMatchObject({ code: 'PUBLISH_FAILED' })
    await vi.waitFor(() => expect(stillWaits).toBe(false))
  })
})

import type { FanoutState } from '@dropbell/offers/fanout-state'
import { inventoryEvent } from '@dropbell/offers/testing/inventory-event'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { describe, expect, it, vi } from 'vitest'
import type { FanoutProgress } from './fanout-progress.ts'
import type { Fanout, PublishFanouts } from './fanout-request.ts'
import type { FanoutWork, TurnEnd } from './fanout-turn.ts'
import { createFanoutHandler } from './handle-fanout.ts'

const event = inventoryEvent({ eventType: 'PRICE_CHANGE', previousPrice: 100, currentPrice: 80 })
const fanout: Fanout = {
  event,
  detection: { kind: 'price-drop', previousPrice: 100, currentPrice: 80, dropPercentage: 20 },
  asOf: 1_234,
  after: { userId: 'user-1', servedUsers: 1_000 },
}
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const nothingKnown: FanoutState = { reached: undefined, handedOverAt: 0, ended: false }

const setUp = ({ state = nothingKnown, end = 'told' as TurnEnd, reaches = 1_500 } = {}) => {
  const calls: string[] = []
  const progress: FanoutProgress = {
    read: async () => state,
    advance: async (_, { servedUsers }) => void calls.push(`advance ${servedUsers}`),
    handOver: async (_, servedUsers) => void calls.push(`hand over at ${servedUsers}`),
    end: async (fanoutId) => void calls.push(`end ${fanoutId}`),
  }
  const serveTurn = vi.fn(async ({ onReached }: FanoutWork): Promise<TurnEnd> => {
    await onReached({ userId: 'user-2', servedUsers: reaches })
    return end
  })
  const publishFanouts = vi.fn<PublishFanouts>(async () => void calls.push('publish'))
  const handle = createFanoutHandler({
    progress,
    serveTurn,
    publishFanouts,
    readProductNames: async () => new Map([['product-1', '운동화']]),
    recordStop: async (reason) => void calls.push(`record ${reason}`),
    clock: { now: () => 5_000, wait: async () => {} },
    metrics: {
      audienceResolved: (_, users, cut) => void calls.push(`audience of ${users}${cut ? ', cut' : ''}`),
      fanoutEnded: (_, result) => void calls.push(`ended: ${result}`),
    },
    log: captureLog().log,
  })
  const record = { value: fanout, traceparent, replayCount: 1 } as Parameters<typeof handle>[0][0]
  const context = { signal: new AbortController().signal, progress: async () => {}, isInterrupted: () => false }
  return { calls, serveTurn, publishFanouts, run: () => handle([record], context) }
}

describe('a request to tell the rest of an audience', () => {
  it('is served from where it says, as of the moment it says, and ends the fan-out', async () => {
    const { calls, serveTurn, run } = setUp()
    await run()
    expect(serveTurn.mock.calls[0]?.[0]).toMatchObject({
      trigger: { type: 'PRICE_DROP', productName: '운동화', dropPercentage: 20 },
      target: { kind: 'price-drop', eventId: 'event-1', timestamp: 1_234, after: fanout.after },
      origin: { traceparent, replayCount: 1 },
    })
    expect(calls).toEqual(['advance 1500', 'end price-drop:event-1', 'audience of 1500', 'ended: told'])
  })

  it('goes on from the checkpoint if that is further', async () => {
    const reached = { userId: 'user-7', servedUsers: 7_000 }
    const { serveTurn, run } = setUp({ state: { ...nothingKnown, reached } })
    await run()
    expect(serveTurn.mock.calls[0]?.[0].target.after).toEqual(reached)
  })

  it.each([
    ['that has ended', { ...nothingKnown, ended: true }],
    ['that a later request goes on with', { ...nothingKnown, handedOverAt: 1_001 }],
  ])('has nothing to say of a fan-out %s', async (_, state) => {
    const { calls, serveTurn, run } = setUp({ state })
    await run()
    expect(serveTurn).not.toHaveBeenCalled()
    expect(calls).toEqual([])
  })

  it('asks for another turn when its own is over, and only then says that it did', async () => {
    const { calls, publishFanouts, run } = setUp({ end: 'turn-over' })
    await run()
    expect(publishFanouts).toHaveBeenCalledExactlyOnceWith([
      [
        { ...fanout, after: { userId: 'user-2', servedUsers: 1_500 } },
        { traceparent, replayCount: 1 },
      ],
    ])
    expect(calls).toEqual(['advance 1500', 'publish', 'hand over at 1500'])
  })

  it('puts on record why nobody else is told, before it ends', async () => {
    const { calls, run } = setUp({ end: 'price-rose' })
    await run()
    expect(calls).toEqual(['advance 1500', 'record price-rose', 'end price-drop:event-1', 'ended: price-rose'])
  })

  it('counts an audience that was cut', async () => {
    const { calls, run } = setUp({ end: 'cut' })
    await run()
    expect(calls).toContain('audience of 1500, cut')
    expect(calls).toContain('ended: cut')
  })

  it('is left to whoever is next when the consumer stops', async () => {
    const { calls, run } = setUp({ end: 'interrupted' })
    await expect(run()).rejects.toMatchObject({ code: 'FANOUT_INTERRUPTED' })
    expect(calls).toEqual(['advance 1500'])
  })
})

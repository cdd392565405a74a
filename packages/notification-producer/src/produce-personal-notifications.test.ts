import { defaultRecipient } from '@dropbell/database/read-recipients'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { collect, streamOf } from '@dropbell/shared/testing/streams'
import { describe, expect, it, vi } from 'vitest'
import type { Admit } from './admit.ts'
import { composeRecommendation } from './compose-recommendation.ts'
import { notificationConfig } from './config.ts'
import type { Decision } from './decision.ts'
import { notificationIdOf } from './notification-id.ts'
import { createPersonalProducer, type Personal, type PersonalEvent } from './produce-personal-notifications.ts'
import type { NotificationBatch } from './publish-batches.ts'

const eventTimestamp = Date.UTC(2026, 0, 15)
const now = eventTimestamp + 3_000

const event: PersonalEvent = {
  type: 'RECOMMENDATION',
  eventId: 'batch:2026-01-15',
  eventTimestamp,
  subject: 'DAILY_RECOMMENDATION',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  titleIn: (language) => `title in ${language}`,
}

const recommend = (productId: string): Personal => ({
  kind: 'message',
  productId,
  compose: (language) =>
    composeRecommendation({ strategy: 's', products: [{ productId, productName: productId }] }, language),
})

interface Setting {
  decisions?: Record<string, Decision>
  personal?: Record<string, Personal>
  env?: Record<string, string>
}

const setUp = ({ decisions = {}, personal = {}, env = {} }: Setting = {}) => {
  const admit = vi.fn<Admit>(async (requests) =>
    requests.map(({ candidates }) =>
      candidates.map((candidate) => ({
        ...candidate,
        decision: decisions[candidate.userId] ?? { kind: 'admitted' },
        recipient: defaultRecipient,
      })),
    ),
  )
  const personalise = vi.fn(async (userId: string) => personal[userId] ?? recommend(`for-${userId}`))
  const publish = vi.fn(async (_: readonly NotificationBatch[]): Promise<void> => {})
  const wait = vi.fn(async () => {})
  const config = loadConfig(defineConfig(notificationConfig), env)
  const produce = createPersonalProducer({ admit, personalise, publish, config, clock: { now: () => now, wait } })
  const watch = { signal: new AbortController().signal, partsAhead: 1 }
  return {
    ...{ admit, personalise, publish, wait, watch },
    produce: (parts: string[][], over: Partial<typeof watch> = {}) =>
      produce(event, streamOf(parts), { ...watch, ...over }),
    published: () => publish.mock.calls.flatMap(([batches]) => batches),
  }
}

const slotOf = (userId: string) => {
  return { userId, subject: 'DAILY_RECOMMENDATION', type: 'RECOMMENDATION', eventId: 'batch:2026-01-15' }
}

describe('producing personal notifications', () => {
  it('tells each user something else, by an id that follows from the event and the user', async () => {
    const { produce, published, admit } = setUp()
    expect(await collect(produce([['a', 'b']]))).toEqual([
      { users: ['a', 'b'], published: 2, refused: {}, nothing: [], failed: [], unused: [] },
    ])
    const [batch] = published()
    expect(
      batch?.notifications.map(({ userId, productId, notificationId }) => [userId, productId, notificationId]),
    ).toEqual(
      ['a', 'b'].map((userId) => {
        return [userId, `for-${userId}`, notificationIdOf({ eventId: event.eventId, userId, type: 'RECOMMENDATION' })]
      }),
    )
    expect(batch?.notifications[0]).toMatchObject({ eventTimestamp, expiresAt: eventTimestamp + 24 * 3_600_000 })
    expect(admit.mock.calls[0]?.[0]).toMatchObject([{ subject: 'DAILY_RECOMMENDATION', eventId: event.eventId }])
  })

  it('asks nothing about users who may not be told, and puts them on record', async () => {
    const { produce, published, personalise } = setUp({ decisions: { b: { kind: 'refused', reason: 'opted-out' } } })
    expect(await collect(produce([['a', 'b']]))).toMatchObject([{ published: 1, refused: { 'opted-out': 1 } }])
    expect(personalise.mock.calls.map(([userId]) => userId)).toEqual(['a'])
    expect(published()[0]?.outcomes).toMatchObject([
      { userId: 'b', status: 'USER_OPTED_OUT', title: 'title in ko', productId: 'DAILY_RECOMMENDATION' },
    ])
  })

  it('says whose slots were taken for nothing, but not of a slot that may be that of a publish before', async () => {
    const nothing: Personal = { kind: 'nothing' }
    const failed: Personal = { kind: 'failed', reason: 'timeout' }
    const again: Decision = { kind: 'admitted', again: true }
    const { produce } = setUp({
      decisions: { 'nothing-again': again, 'failed-again': again },
      personal: { nothing, failed, 'nothing-again': nothing, 'failed-again': failed },
    })
    const [part] = await collect(produce([['told', 'nothing', 'failed', 'nothing-again', 'failed-again']]))
    expect(part).toMatchObject({
      published: 1,
      nothing: ['nothing', 'nothing-again'],
      failed: [
        { userId: 'failed', reason: 'timeout' },
        { userId: 'failed-again', reason: 'timeout' },
      ],
      unused: [slotOf('nothing'), slotOf('failed')],
    })
  })

  it('publishes no part before the one before it was used up, and prepares as many as told meanwhile', async () => {
    const { produce, publish, personalise } = setUp()
    const parts = produce([['a'], ['b'], ['c'], ['d'], ['e']], { partsAhead: 2 })
    await parts.next()
    await vi.waitFor(() => expect(personalise).toHaveBeenCalledTimes(3))
    expect(publish).toHaveBeenCalledTimes(1)
    await parts.next()
    expect(publish).toHaveBeenCalledTimes(2)
    await parts.return()
  })

  it('publishes nothing more when it is called off', async () => {
    const { produce, publish } = setUp()
    const controller = new AbortController()
    const parts = produce([['a'], ['b']], { signal: controller.signal })
    await parts.next()
    controller.abort()
    await expect(parts.next()).rejects.toThrow('aborted')
    expect(publish).toHaveBeenCalledTimes(1)
  })

  it('admits nobody more when it is called off, and asks nothing more about who is admitted', async () => {
    const { produce, admit, personalise } = setUp()
    const controller = new AbortController()
    const admitAtOnce = admit.getMockImplementation() as Admit
    admit.mockImplementation(async (requests, now) => {
      const admissions = await admitAtOnce(requests, now)
      controller.abort()
      return admissions
    })
    await expect(produce([['a'], ['b'], ['c']], { signal: controller.signal }).next()).rejects.toThrow('aborted')
    expect(admit).toHaveBeenCalledTimes(1)
    expect(personalise).not.toHaveBeenCalled()
  })

  it('waits between parts if told to', async () => {
    const { produce, wait } = setUp({ env: { NOTIFICATION_BATCH_DELAY_MS: '50' } })
    await collect(produce([['a'], ['b'], ['c']]))
    expect(wait.mock.calls).toEqual([[50], [50]])
  })
})

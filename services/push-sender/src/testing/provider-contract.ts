import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Outgoing, Provider, SendResult } from '../provider.ts'
import { sampleOutgoing } from './sample-outgoing.ts'

export interface ProviderUnderTest {
  provider: Provider
  /** To somewhere that nothing was sent to yet; a device if left out. */
  newOutgoing?(): Outgoing
  close(): Promise<void>
}

/** A provider with somebody at the other end. */
export interface ProviderWithPeer extends ProviderUnderTest {
  /** How often something arrived there. */
  receivedBy(address: string): Promise<number>
  /** From now on messages are taken, and never answered. */
  silence(): Promise<void>
  /** Of a peer that cannot be asked while it is silent: whether all that was sent is on its way. */
  allUnderWay?(): boolean
}

const inTime = { deadlineMs: 5_000 }

const batchFor = ({ newOutgoing = sampleOutgoing }: ProviderUnderTest, count: number): Outgoing[] =>
  Array.from({ length: count }, () => newOutgoing())

const kindsOf = (results: readonly SendResult[]): string[] => results.map(({ kind }) => kind)

/** What the ledger relies on, whichever provider it is. */
export const describeProvider = (name: string, open: () => Promise<ProviderUnderTest>): void => {
  describe(`the contract of a provider: ${name}`, () => {
    let opened: ProviderUnderTest
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.close())
    const batchOf = (count: number): Outgoing[] => batchFor(opened, count)

    it('accepts every message of a batch', async () => {
      expect(kindsOf(await opened.provider.send(batchOf(30), inTime))).toEqual(Array(30).fill('accepted'))
    })

    it('tells every result once, as it comes, and again in the order of the messages', async () => {
      const told = new Map<number, SendResult[]>()
      const onResult = (index: number, result: SendResult) => void told.set(index, [...(told.get(index) ?? []), result])
      const results = await opened.provider.send(batchOf(10), { ...inTime, onResult })
      expect([...told.keys()].sort((a, b) => a - b)).toEqual([...results.keys()])
      for (const [index, result] of results.entries()) expect(told.get(index)).toEqual([result])
    })

    it('has nothing to do for an empty batch', async () => {
      expect(await opened.provider.send([], inTime)).toEqual([])
    })

    it.each(['promotional', 'transactional'] as const)('grants %s messages, and not more than wanted', async (kind) => {
      for (const wanted of [0, 1, 7]) {
        expect(await opened.provider.reserve(wanted, kind)).toEqual({ granted: wanted, retryAfterMs: 0 })
      }
    })

    it('sends nothing once it is called off', async () => {
      const results = await opened.provider.send(batchOf(3), { ...inTime, signal: AbortSignal.abort() })
      expect(kindsOf(results)).toEqual(Array(3).fill('not-taken'))
    })

    it('takes nothing after it was closed, says so, and can be closed again', async () => {
      await opened.provider.close()
      expect(kindsOf(await opened.provider.send(batchOf(2), inTime))).toEqual(['not-taken', 'not-taken'])
      await opened.provider.close()
    })
  })
}

/** All of it, and what only shows with a peer. */
export const describeProviderWithPeer = (name: string, open: () => Promise<ProviderWithPeer>): void => {
  describeProvider(name, open)

  describe(`the contract of a provider: ${name}, and its peer`, () => {
    let opened: ProviderWithPeer
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.close())
    const batchOf = (count: number): Outgoing[] => batchFor(opened, count)

    const received = (batch: readonly Outgoing[]): Promise<number[]> =>
      Promise.all(batch.map(({ target }) => opened.receivedBy(target.address)))

    it('reaches everybody once, and nobody once it is called off', async () => {
      const batch = batchOf(30)
      await opened.provider.send(batch, inTime)
      expect(await received(batch)).toEqual(Array(30).fill(1))
      const calledOff = batchOf(3)
      await opened.provider.send(calledOff, { ...inTime, signal: AbortSignal.abort() })
      expect(await received(calledOff)).toEqual([0, 0, 0])
    })

    it('settles every message by the deadline when nobody answers: nobody knows what became of them', async () => {
      await opened.silence()
      const startedAt = performance.now()
      const results = await opened.provider.send(batchOf(20), { deadlineMs: 3_000 })
      expect(performance.now() - startedAt).toBeLessThan(6_000)
      expect(kindsOf(results)).toEqual(Array(20).fill('unknown'))
    })

    it('gives up at once what is under way when it is called off', async () => {
      await opened.silence()
      const controller = new AbortController()
      const batch = batchOf(2)
      const sending = opened.provider.send(batch, { deadlineMs: 30_000, signal: controller.signal })
      const underWay = opened.allUnderWay ?? (async () => (await received(batch)).every((count) => count === 1))
      await vi.waitUntil(underWay, { timeout: 5_000 })
      controller.abort()
      expect(kindsOf(await sending)).toEqual(['unknown', 'unknown'])
    })
  })
}

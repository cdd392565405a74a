import { setTimeout as delay } from 'node:timers/promises'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { deadLetterHeaders } from '@dropbell/shared/kafka/headers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createHistoryWorld, freshOutcome, type HistoryWorld } from './testing/history-world.ts'

const outageMs = 20_000

let stack: Stack
let world: HistoryWorld

beforeAll(async () => {
  stack = await startIsolatedStack({ engines: ['kafka', 'schema-registry', 'elasticsearch'] })
  world = await createHistoryWorld(stack)
})
afterAll(async () => {
  await world.close()
  await stack.reset()
})

const idsOf = (outcomes: readonly { notificationId: string }[]) => outcomes.map(({ notificationId }) => notificationId)

const missing = async (outcomes: readonly { notificationId: string }[]): Promise<string[]> => {
  const found = new Set(idsOf(await world.search()))
  return idsOf(outcomes).filter((id) => !found.has(id))
}

const deadLetterIds = async (): Promise<string[]> => {
  const decoded = await world.codec.decodeBatch(world.deadLetters.map(({ value }) => value))
  return idsOf(decoded.flatMap((result) => (result.ok ? [result.value] : [])))
}

describe('Elasticsearch down for 20 s', () => {
  it('loses nothing: what was in hand is a dead letter, what came later waits, and all of it can be put back', async () => {
    const service = await world.start()
    const before = Array.from({ length: 50 }, () => freshOutcome())
    await world.publish(before)
    await world.untilRead()

    await stack.engine('elasticsearch').kill()
    const downAt = performance.now()
    const inHand = Array.from({ length: 50 }, () => freshOutcome())
    await world.publish(inHand)
    await vi.waitFor(
      async () => {
        expect(await (await service.get('/metrics')).text()).toMatch(/^dropbell_consumer_paused\{.*\} 1$/m)
        expect((await service.get('/readyz')).status).toBe(503)
      },
      { timeout: 60_000, interval: 200 },
    )
    const later = Array.from({ length: 500 }, () => freshOutcome())
    await world.publish(later)
    await delay(Math.max(0, outageMs - (performance.now() - downAt)))
    await stack.engine('elasticsearch').start()

    await world.untilRead(120_000)
    expect(await missing([...before, ...later])).toEqual([])
    const notIndexed = await missing(inHand)
    expect(notIndexed).not.toEqual([])
    await vi.waitFor(async () => expect((await deadLetterIds()).sort()).toEqual(notIndexed.sort()), 20_000)
    for (const { headers } of world.deadLetters) {
      expect(String(headers?.[deadLetterHeaders.exceptionFqcn])).toMatch(/^TransientError\.ELASTICSEARCH_/)
    }

    await world.send(world.deadLetters.map(({ key, value, partition }) => ({ key, value, partition })))
    await world.untilRead()
    expect(await missing([...before, ...inHand, ...later])).toEqual([])
  }, 300_000)
})

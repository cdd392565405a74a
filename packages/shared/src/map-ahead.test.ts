import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { mapAhead } from './map-ahead.ts'
import { collect, streamOf } from './testing/streams.ts'

const numbers = (count: number) => streamOf(Array.from({ length: count }, (_, index) => index + 1))

/** Long enough for everything that waits for nothing. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

describe('mapAhead', () => {
  it('keeps the order, whoever is ready first', async () => {
    const releases = new Map<number, () => void>()
    const mapped = collect(
      mapAhead(numbers(3), (n) => new Promise<number>((resolve) => releases.set(n, () => resolve(n * 10))), 2),
    )
    for (const n of [3, 1, 2]) {
      await settle()
      releases.get(n)?.()
    }
    expect(await mapped).toEqual([10, 20, 30])
  })

  it.each([0, 1, 3])('begins no more than %i before they are asked for', async (ahead) => {
    const begun: number[] = []
    const stream = mapAhead(numbers(10), async (n) => begun.push(n), ahead)
    await settle()
    expect(begun).toEqual([])
    await stream.next()
    await settle()
    expect(begun).toHaveLength(1 + ahead)
    await stream.next()
    await settle()
    expect(begun).toHaveLength(2 + ahead)
    await stream.return()
  })

  it('fails where an item failed, after those before it', async () => {
    const seen: number[] = []
    const failing = async (n: number): Promise<number> => {
      if (n >= 2) throw new Error(`item ${n}`)
      return n
    }
    const read = async () => {
      for await (const n of mapAhead(numbers(5), failing, 3)) seen.push(n)
    }
    await expect(read()).rejects.toThrow('item 2')
    expect(seen).toEqual([1])
  })

  it('fails as its source does', async () => {
    async function* broken() {
      yield 1
      throw new Error('no more')
    }
    await expect(collect(mapAhead(broken(), async (n) => n, 2))).rejects.toThrow('no more')
  })

  it('ends its source when nobody reads on', async () => {
    let ended = false
    async function* source() {
      try {
        yield* numbers(100)
      } finally {
        ended = true
      }
    }
    for await (const n of mapAhead(source(), async (n) => n, 2)) if (n === 2) break
    await settle()
    expect(ended).toBe(true)
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRightOfWay } from './right-of-way.ts'

/** Work that ends when the test says so. */
const begin = (way: ReturnType<typeof createRightOfWay>) => {
  let finish = (): void => {}
  const work = way.first(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve
      }),
  )
  return { finish: () => finish(), work }
}

const watch = (promise: Promise<void>) => {
  const state = { done: false }
  void promise.then(() => {
    state.done = true
  })
  return state
}

describe('the right of way', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('holds nobody up while nothing goes first', async () => {
    await createRightOfWay().giveWay(60_000)
  })

  it('is given until the last of what goes first has ended', async () => {
    const way = createRightOfWay()
    const [one, other] = [begin(way), begin(way)]
    const waiting = watch(way.giveWay(60_000))
    one.finish()
    await one.work
    await vi.advanceTimersByTimeAsync(1_000)
    expect(waiting.done).toBe(false)
    other.finish()
    await other.work
    await vi.advanceTimersByTimeAsync(0)
    expect(waiting.done).toBe(true)
  })

  it('is given for so long and no longer', async () => {
    const way = createRightOfWay()
    const busy = begin(way)
    const waiting = watch(way.giveWay(100))
    await vi.advanceTimersByTimeAsync(99)
    expect(waiting.done).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(waiting.done).toBe(true)
    busy.finish()
    await busy.work
  })

  it('is given back by work that fails', async () => {
    const way = createRightOfWay()
    const failure = way.first(async () => {
      throw new Error('no')
    })
    await expect(failure).rejects.toThrow('no')
    await way.giveWay(60_000)
  })
})

import { describe, expect, it } from 'vitest'
import { createPace } from './pace.ts'
import { createTally } from './tally.ts'

const { signal } = new AbortController()

describe('the pace of a run', () => {
  it.each([
    [undefined, 500],
    [1, 1],
    [5, 1],
    [400, 100],
    [1_000_000, 500],
  ])('of %s a second takes %i at once', (perSecond, batchSize) => {
    expect(createPace(perSecond).batchSize).toBe(batchSize)
  })

  it('never goes faster, and does not make up for lost time', async () => {
    let clock = 0
    const sleep = async (ms: number) => {
      clock += ms
    }
    const pace = createPace(100, { now: () => clock, sleep })
    const times: number[] = []
    for (let n = 0; n < 4; n++) {
      await pace.take(50, signal)
      times.push(clock)
      if (n === 1) clock += 2_000
    }
    expect(times).toEqual([0, 500, 2_500, 3_000])
  })

  it('ends its wait when it is interrupted', async () => {
    const controller = new AbortController()
    const pace = createPace(1)
    await pace.take(1_000, controller.signal)
    const waiting = pace.take(1, controller.signal)
    controller.abort()
    await waiting
  })
})

describe('a tally', () => {
  it('has the most frequent first', () => {
    const tally = createTally()
    for (const value of ['b', 'a', 'c', 'a', 'c', 'a']) tally.add(value)
    expect(tally.top(2)).toEqual([
      { value: 'a', count: 3 },
      { value: 'c', count: 2 },
    ])
    expect([tally.distinct(), tally.isCut()]).toEqual([3, false])
  })

  it('counts only so many values by themselves, and says so', () => {
    const tally = createTally(2)
    for (const value of ['a', 'b', 'c', 'a']) tally.add(value)
    expect(tally.top(9)).toEqual([
      { value: 'a', count: 2 },
      { value: 'b', count: 1 },
    ])
    expect(tally.isCut()).toBe(true)
  })
})

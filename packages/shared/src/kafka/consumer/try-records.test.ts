import { describe, expect, it, vi } from 'vitest'
import { TransientError } from '../../errors.ts'
import { FailedRecords } from './failed-records.ts'
import { tryRecords } from './try-records.ts'

const never = new AbortController().signal
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Fails whenever one of the bad ones is among its records. */
const attemptWithout = (...bad: number[]) =>
  vi.fn(async (records: readonly number[]) => {
    const culprit = records.find((record) => bad.includes(record))
    if (culprit !== undefined) throw new Error(`bad ${culprit}`)
  })

const failuresOf = (outcomes: Awaited<ReturnType<typeof tryRecords<number>>>) =>
  [...outcomes].flatMap(([record, outcome]) => (outcome.ok ? [] : [[record, (outcome.error as Error).message]]))

describe('tryRecords', () => {
  it('tries all records together, once, when nothing fails', async () => {
    const attempt = attemptWithout()
    expect(failuresOf(await tryRecords(numbers(5), attempt, never))).toEqual([])
    expect(attempt.mock.calls).toEqual([[[0, 1, 2, 3, 4]]])
  })

  it('does not try an empty chunk', async () => {
    const attempt = attemptWithout()
    expect((await tryRecords([], attempt, never)).size).toBe(0)
    expect(attempt).not.toHaveBeenCalled()
  })

  it.each([[[0]], [[7]], [[3, 4]], [[0, 2, 4, 6]], [numbers(8)]])(
    'fails exactly the bad records %j, each with its own error',
    async (bad) => {
      const outcomes = await tryRecords(numbers(8), attemptWithout(...bad), never)
      expect(outcomes.size).toBe(8)
      expect(failuresOf(outcomes)).toEqual(bad.map((record) => [record, `bad ${record}`]))
    },
  )

  it('spares the neighbours of one bad record among many with few attempts', async () => {
    const attempt = attemptWithout(77)
    await tryRecords(numbers(128), attempt, never)
    expect(attempt).toHaveBeenCalledTimes(1 + 2 * 7)
  })

  it('tries once where the attempt says which records failed', async () => {
    const failures = new Map([
      [2, new Error('bad 2')],
      [5, new Error('bad 5')],
    ])
    const attempt = vi.fn(() => Promise.reject(new FailedRecords(failures)))
    const outcomes = await tryRecords(numbers(8), attempt, never)
    expect(attempt).toHaveBeenCalledTimes(1)
    expect(outcomes.size).toBe(8)
    expect(failuresOf(outcomes)).toEqual([
      [2, 'bad 2'],
      [5, 'bad 5'],
    ])
  })

  it('keeps the order of the records it succeeds with', async () => {
    const succeeded: number[] = []
    const attempt = async (records: readonly number[]) => {
      if (records.includes(2)) throw new Error('bad')
      succeeded.push(...records)
    }
    await tryRecords(numbers(8), attempt, never)
    expect(succeeded).toEqual([0, 1, 3, 4, 5, 6, 7])
  })

  it('does not split for a dependency that is down', async () => {
    const down = new TransientError('REDIS_UNAVAILABLE', 'down', { dependency: 'redis' })
    const attempt = vi.fn(() => Promise.reject(down))
    const outcomes = await tryRecords(numbers(8), attempt, never)
    expect(attempt).toHaveBeenCalledTimes(1)
    expect([...outcomes.values()]).toEqual(numbers(8).map(() => ({ ok: false, error: down })))
  })

  it('leaves the rest untried when a dependency fails after a split, and fails it with the dependency', async () => {
    const down = new TransientError('REDIS_UNAVAILABLE', 'down', { dependency: 'redis' })
    const attempt = vi.fn(async (records: readonly number[]) => {
      if (records.length === 4) throw new Error('bad')
      if (records.includes(2)) throw down
    })
    const outcomes = await tryRecords(numbers(4), attempt, never)
    expect(attempt.mock.calls.map(([records]) => records)).toEqual([
      [0, 1, 2, 3],
      [0, 1],
      [2, 3],
    ])
    expect(numbers(4).map((record) => outcomes.get(record)?.ok)).toEqual([true, true, false, false])
  })

  it('leaves out what fails because it was aborted, and does not begin the rest', async () => {
    const controller = new AbortController()
    const attempt = vi.fn(async (records: readonly number[]) => {
      if (records.length === 4) throw new Error('bad')
      if (records.includes(2)) {
        controller.abort()
        throw new Error('aborted')
      }
    })
    const outcomes = await tryRecords(numbers(4), attempt, controller.signal)
    expect([...outcomes]).toEqual([
      [0, { ok: true }],
      [1, { ok: true }],
    ])
    expect(attempt).toHaveBeenCalledTimes(3)
  })
})

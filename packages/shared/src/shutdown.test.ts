import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createShutdown } from './shutdown.ts'
import { captureLog } from './testing/capture-log.ts'

const setUp = (timeoutMs = 1_000) => {
  const { log, lines } = captureLog('info')
  const order: string[] = []
  const shutdown = createShutdown({ timeoutMs, log })
  const add = (step: string, stop: () => unknown = () => {}) =>
    shutdown.add(step, () => {
      order.push(step)
      return stop()
    })
  return { shutdown, add, order, lines }
}

describe('createShutdown', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('stops in reverse order, each step after the one before has ended', async () => {
    const { shutdown, add, order } = setUp()
    add('first')
    add('second', async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      order.push('second ended')
    })
    const stopped = shutdown.stop()
    await vi.runAllTimersAsync()
    expect(await stopped).toMatchObject({ ok: true, steps: [{ step: 'second', durationMs: 50 }, { step: 'first' }] })
    expect(order).toEqual(['second', 'second ended', 'first'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stops once, however often it is asked', async () => {
    const { shutdown, add, order } = setUp()
    add('only')
    const first = shutdown.stop()
    expect(shutdown.stop()).toBe(first)
    await first
    expect(shutdown.stop()).toBe(first)
    expect(order).toEqual(['only'])
  })

  it('goes on after a step that fails, and reports it', async () => {
    const { shutdown, add, order, lines } = setUp()
    add('first')
    add('second', () => Promise.reject(new Error('rejected')))
    add('third', () => {
      throw new Error('thrown')
    })
    const report = await shutdown.stop()
    expect(order).toEqual(['third', 'second', 'first'])
    expect(report.ok).toBe(false)
    expect(report.steps.map(({ step, result }) => [step, result])).toEqual([
      ['third', 'failed'],
      ['second', 'failed'],
      ['first', 'stopped'],
    ])
    expect(lines()).toMatchObject([
      { step: 'third', outcome: 'failed', err: { message: 'thrown' } },
      { step: 'second', outcome: 'failed', err: { message: 'rejected' } },
    ])
  })

  it('ends within its time in total: the step that hangs is left, those after it are skipped', async () => {
    const { shutdown, add, order } = setUp(1_000)
    add('first')
    add('second', () => new Promise(() => {}))
    add('third', () => new Promise((resolve) => setTimeout(resolve, 600)))
    const stopped = shutdown.stop()
    await vi.advanceTimersByTimeAsync(1_000)
    const { ok, steps } = await stopped
    expect(ok).toBe(false)
    expect(steps.map(({ step, result, durationMs }) => [step, result, durationMs])).toEqual([
      ['third', 'stopped', 600],
      ['second', 'timed-out', 400],
      ['first', 'skipped', 0],
    ])
    expect(order).toEqual(['third', 'second'])
  })

  it('tells at once that stopping has begun', () => {
    const { shutdown } = setUp()
    expect(shutdown.stopping.aborted).toBe(false)
    void shutdown.stop()
    expect(shutdown.stopping.aborted).toBe(true)
  })

  it('also stops what is added while it stops, and refuses what comes later', async () => {
    const { shutdown, add, order } = setUp()
    add('first', () => add('late'))
    await shutdown.stop()
    expect(order).toEqual(['first', 'late'])
    expect(() => add('too late')).toThrow('too late was started after the shutdown')
  })
})

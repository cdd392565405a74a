import { describe, expect, it, vi } from 'vitest'
import { createApiBreaker, heldBack } from './api-breaker.ts'

type Result = 'up' | 'down'

const open = ({ patienceMs = 0, resetMs = 20, failures = 3 } = {}) => {
  const onChange = vi.fn()
  const breaker = createApiBreaker<Result>({
    config: {
      RECOMMENDATION_API_BREAKER_FAILURES: failures,
      RECOMMENDATION_API_BREAKER_RESET_MS: resetMs,
      RECOMMENDATION_API_PATIENCE_MS: patienceMs,
    },
    isDown: (result) => result === 'down',
    onChange,
  })
  const controller = new AbortController()
  const say = (result: Result) => vi.fn(async () => result)
  return { onChange, controller, say, run: (attempt: () => Promise<Result>) => breaker.run(attempt, controller.signal) }
}

describe('the breaker of the API', () => {
  it('lets everything through while the API answers, and after a failure here and there', async () => {
    const { run, say, onChange } = open()
    for (const result of ['up', 'down', 'down', 'up', 'down', 'down', 'up'] as const) {
      expect(await run(say(result))).toBe(result)
    }
    expect(onChange).not.toHaveBeenCalled()
  })

  it('asks nobody for a while after failures in a row, and then one', async () => {
    const { run, say, onChange } = open({ resetMs: 1_000 })
    for (let n = 0; n < 3; n++) await run(say('down'))
    const attempt = say('up')
    expect(await run(attempt)).toBe(heldBack)
    expect(attempt).not.toHaveBeenCalled()
    await vi.waitFor(async () => expect(await run(attempt)).toBe('up'), { timeout: 5_000, interval: 20 })
    expect(onChange.mock.calls).toEqual([['open'], ['closed']])
  })

  it('lets those wait who are patient, and they ask when the API is back', async () => {
    const { run, say } = open({ patienceMs: 60_000 })
    for (let n = 0; n < 3; n++) await run(say('down'))
    const waiting = Array.from({ length: 8 }, () => run(say('up')))
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['up']))
  })

  it('turns everybody away once patience is at its end, counted from the first failure', async () => {
    const { run, say } = open({ patienceMs: 100 })
    for (let n = 0; n < 3; n++) await run(say('down'))
    // One of them finds out each time that nothing has changed.
    const ask = async () => new Set(await Promise.all(Array.from({ length: 5 }, () => run(say('down')))))
    await vi.waitFor(async () => expect(await ask()).toContain(heldBack), { timeout: 4_000, interval: 1 })
  })

  it('rejects whoever waits when it is called off', async () => {
    const { run, say, controller } = open({ patienceMs: 60_000, resetMs: 60_000 })
    for (let n = 0; n < 3; n++) await run(say('down'))
    const waiting = run(say('up'))
    controller.abort()
    await expect(waiting).rejects.toThrow('aborted')
  })
})

import { createMetrics } from '@dropbell/shared/metrics'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type PollerOptions, runPoller } from './run-poller.ts'
import { createSenderMetrics } from './sender-metrics.ts'

const start = (poll: PollerOptions['poll']) =>
  runPoller({
    name: 'PUSH',
    poll,
    intervalMs: 1_000,
    metrics: createSenderMetrics(createMetrics({ service: 'test' })),
    log: captureLog().log,
  })

describe('the poller', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('goes on after a failure, one round at a time', async () => {
    const poll = vi.fn(async () => {}).mockRejectedValueOnce(new Error('no database'))
    const poller = start(poll)
    await vi.advanceTimersByTimeAsync(2_500)
    expect(poll).toHaveBeenCalledTimes(3)
    await poller.stop()
  })

  it('begins anew at once when it is woken, also in the middle of a round', async () => {
    let finish = (): void => {}
    const rounds = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    const poller = start(rounds)
    poller.wake()
    finish()
    await vi.advanceTimersByTimeAsync(1)
    expect(rounds).toHaveBeenCalledTimes(2)
    finish()
    await vi.advanceTimersByTimeAsync(500)
    expect(rounds).toHaveBeenCalledTimes(2)
    poller.wake()
    await vi.advanceTimersByTimeAsync(1)
    expect(rounds).toHaveBeenCalledTimes(3)
    finish()
    const stopped = poller.stop()
    await vi.advanceTimersByTimeAsync(1)
    await stopped
  })

  it('is alive in a round of any length that gets somewhere, and dead in one that does not', async () => {
    let beat = (): void => {}
    let finish = (): void => {}
    const poller = start((_, onBeat) => {
      beat = onBeat
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    for (let minute = 0; minute < 20; minute++) {
      await vi.advanceTimersByTimeAsync(60_000)
      beat()
    }
    expect(poller.isAlive()).toBe(true)
    await vi.advanceTimersByTimeAsync(301_000)
    expect(poller.isAlive()).toBe(false)
    const stopped = poller.stop()
    finish()
    await vi.advanceTimersByTimeAsync(1)
    await stopped
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWork } from './work.ts'

const set = () => {
  const heartbeat = vi.fn(async () => {})
  let current = true
  const work = createWork({ heartbeat, isCurrent: () => current, heartbeatIntervalMs: 1_000, drainTimeoutMs: 5_000 })
  return {
    heartbeat,
    work,
    lose: () => {
      current = false
    },
  }
}

describe('work', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('sends no heartbeat by itself, so that a stuck handler is noticed', async () => {
    const { heartbeat, work } = set()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(heartbeat).not.toHaveBeenCalled()
    expect(work.idleMs()).toBe(60_000)
  })

  it('sends a heartbeat with each progress', async () => {
    const { heartbeat, work } = set()
    await work.progress()
    await work.progress()
    expect(heartbeat).toHaveBeenCalledTimes(2)
    expect(work.idleMs()).toBe(0)
  })

  it('keeps its heartbeats while it waits, oftener than they are due', async () => {
    const { heartbeat, work } = set()
    const waited = work.wait(3_200)
    await vi.advanceTimersByTimeAsync(3_199)
    expect(heartbeat).toHaveBeenCalledTimes(6)
    await vi.advanceTimersByTimeAsync(1)
    await waited
    expect(heartbeat).toHaveBeenCalledTimes(7)
  })

  it('is interrupted by a failed heartbeat, which it remembers and does not throw', async () => {
    const { heartbeat, work } = set()
    const rebalance = new Error('rebalancing')
    heartbeat.mockRejectedValueOnce(rebalance)
    await work.progress()
    expect(work.isInterrupted()).toBe(true)
    expect(work.failure()).toBe(rebalance)
    await work.progress()
    expect(heartbeat).toHaveBeenCalledTimes(1)
  })

  it('gives what is in hand its time before it aborts', async () => {
    const { work } = set()
    work.interrupt()
    await vi.advanceTimersByTimeAsync(4_999)
    work.interrupt()
    expect(work.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(work.signal.aborted).toBe(true)
  })

  it('does not wait on when interrupted', async () => {
    const { work } = set()
    const waited = work.wait(60_000)
    await vi.advanceTimersByTimeAsync(10)
    work.interrupt()
    await waited
    work.end()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('begins nothing new in a batch that is no longer its own', () => {
    const { work, lose } = set()
    expect(work.isInterrupted()).toBe(false)
    lose()
    expect(work.isInterrupted()).toBe(true)
  })

  it('leaves no timer behind, and hears no handler that was given up', async () => {
    const { heartbeat, work } = set()
    work.interrupt()
    work.end()
    await work.progress()
    expect(heartbeat).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})

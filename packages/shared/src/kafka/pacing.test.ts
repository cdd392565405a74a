import { Registry } from 'prom-client'
import { describe, expect, it, vi } from 'vitest'
import { captureLog } from '../testing/capture-log.ts'
import { createPacer } from './pacing.ts'

const goOn = async (): Promise<boolean> => true

/** A reader that is behind by as much as the test says, plus what was published since. */
const setUp = ({ maxLag = 1_000, behind = 0, intervalMs = 1 } = {}) => {
  const reader = { behind }
  const read = vi.fn(async () => reader.behind)
  const { log, lines } = captureLog()
  const registry = new Registry()
  const pacer = createPacer({ lag: { read }, maxLag, registry, log, intervalMs })
  const pacing = pacer.begin()
  const publish = async (records: number, keepWaiting = goOn): Promise<boolean> => {
    const may = await pacing.wait(records, keepWaiting)
    if (may) {
      reader.behind += records
      pacing.settled(records)
    }
    return may
  }
  return { reader, read, publish, pacing, pacer, lines, metrics: () => registry.metrics() }
}

describe('pacing', () => {
  it('lets through what fits below the bound, with one look at the lag', async () => {
    const { publish, read } = setUp()
    for (let part = 0; part < 10; part++) expect(await publish(100)).toBe(true)
    expect(read).toHaveBeenCalledTimes(1)
  })

  it('waits at the bound until the reader has caught up, and asks all the while whether to', async () => {
    const { publish, reader, lines } = setUp({ behind: 1_000 })
    const keepWaiting = vi.fn(async () => {
      if (keepWaiting.mock.calls.length === 5) reader.behind = 999
      return true
    })
    expect(await publish(100, keepWaiting)).toBe(true)
    expect(keepWaiting).toHaveBeenCalledTimes(5)
    expect(lines().map(({ msg }) => msg)).toEqual(['paced: too much waits to be read', 'no longer paced'])
  })

  it('stops waiting when it is called off', async () => {
    const { publish } = setUp({ behind: 5_000 })
    expect(await publish(100, async () => false)).toBe(false)
  })

  it('keeps the bound for all who publish together, to within one part', async () => {
    const { publish, reader } = setUp()
    let tries = 0
    const giveUp = async (): Promise<boolean> => ++tries < 100
    await Promise.all(Array.from({ length: 40 }, () => publish(150, giveUp)))
    expect(reader.behind).toBeGreaterThanOrEqual(1_000)
    expect(reader.behind).toBeLessThan(1_000 + 150)
  })

  it('counts what was let through and is not published yet', async () => {
    const { pacing, reader } = setUp({ intervalMs: 60_000 })
    for (let part = 0; part < 2; part++) await pacing.wait(500, goOn)
    let tries = 0
    expect(await pacing.wait(500, async () => ++tries < 2)).toBe(false)
    // Published and read at once: there is room again, without waiting for the interval.
    reader.behind = 0
    const waiting = pacing.wait(500, goOn)
    pacing.settled(500)
    expect(await waiting).toBe(true)
  })

  it('does not count what a fan-out that ended will not publish', async () => {
    const { pacer, pacing } = setUp()
    const other = pacer.begin()
    await other.wait(1_000, goOn)
    expect(await pacing.wait(1, async () => false)).toBe(false)
    other.end()
    expect(await pacing.wait(1, goOn)).toBe(true)
  })

  it('waits for a reader that is infinitely far behind', async () => {
    const { publish, reader } = setUp({ behind: Number.POSITIVE_INFINITY })
    expect(await publish(1, async () => false)).toBe(false)
    reader.behind = 0
    expect(await publish(1)).toBe(true)
  })

  it('never looks and never waits when it is turned off', async () => {
    const { publish, read } = setUp({ maxLag: 0, behind: 1e9 })
    expect(await publish(1e6)).toBe(true)
    expect(read).not.toHaveBeenCalled()
  })

  it('lets nobody through whom it ended for, and keeps no room for them', async () => {
    const { pacer, read } = setUp()
    let answer = (_: number): void => {}
    read.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    const ending = pacer.begin()
    const waiting = ending.wait(900, goOn)
    await vi.waitFor(() => expect(read).toHaveBeenCalled())
    ending.end()
    answer(0)
    expect(await waiting).toBe(false)
    expect(await ending.wait(900, goOn)).toBe(false)
    const other = pacer.begin()
    for (let part = 0; part < 10; part++) expect(await other.wait(100, async () => false)).toBe(true)
  })

  it('does not rely on what it saw long ago', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { publish, reader } = setUp({ maxLag: 20_000 })
      await publish(500)
      reader.behind = 1_000_000
      vi.advanceTimersByTime(1_001)
      let tries = 0
      expect(await publish(500, async () => ++tries < 3)).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })

  it('waits, and stays alive, while the lag cannot be read', async () => {
    const { publish, read, lines } = setUp()
    read.mockRejectedValueOnce(new Error('no broker')).mockRejectedValueOnce(new Error('no broker'))
    const keepWaiting = vi.fn(goOn)
    expect(await publish(1, keepWaiting)).toBe(true)
    expect(keepWaiting).toHaveBeenCalledTimes(3)
    expect(lines().map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'warn paced: how much waits to be read is not known',
      'info no longer paced',
    ])
  })

  it('shows the lag, and how long was waited', async () => {
    const { publish, reader, metrics } = setUp({ behind: 1_234 })
    await publish(1, async () => {
      reader.behind = 12
      return true
    })
    expect(await metrics()).toContain('dropbell_pacing_lag_records 12')
    expect(await metrics()).toMatch(/dropbell_pacing_waited_seconds_total 0\.\d+/)
  })
})

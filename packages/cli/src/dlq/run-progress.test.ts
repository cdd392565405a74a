import { describe, expect, it } from 'vitest'
import { createRunProgress } from './run-progress.ts'

const follow = (showsProgress: boolean) => {
  let clock = 0
  const bars: string[] = []
  const lines: string[] = []
  const output = {
    showsProgress,
    progress: (text: string) => void bars.push(text),
    warn: (text: string) => void lines.push(text),
  }
  const report = createRunProgress(output, 1_000, () => clock)
  return {
    bars,
    lines,
    at: (ms: number, replayed: number) => {
      clock = ms
      report({ replayed, quarantined: 0, dismissed: 0 })
    },
  }
}

describe('the progress of a run', () => {
  it('is a bar with rate and time left on a terminal', () => {
    const { at, bars, lines } = follow(true)
    at(2_500, 250)
    expect(bars).toEqual(['[######------------------] 25 %  250 of 1,000  100/s  8 s left'])
    expect(lines).toEqual([])
  })

  it('is a line now and then elsewhere', () => {
    const { at, bars, lines } = follow(false)
    for (const [ms, replayed] of [
      [1_000, 100],
      [5_000, 500],
      [6_000, 600],
      [9_000, 900],
    ] as const)
      at(ms, replayed)
    expect(bars).toEqual([])
    expect(lines).toEqual(['50 %  500 of 1,000  100/s  5 s left'])
  })
})

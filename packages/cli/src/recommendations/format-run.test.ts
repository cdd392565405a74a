import type { RunReport } from '@dropbell/schemas/recommendation-runs'
import { describe, expect, it } from 'vitest'
import { formatProgress, formatRun } from './format-run.ts'

const run: RunReport = {
  ...{ day: '2026-11-19', status: 'RUNNING', reason: null, expected: 20_000, users: 12_000, sent: 11_000 },
  ...{ nothing: 400, refused: { 'opted-out': 600 }, leftOut: 0, fence: 1 },
  ...{ startedAt: '2026-11-19T00:00:00.000Z', endedAt: null, heartbeatAgeMs: 2_400 },
}
const plain = (_: string, text: string): string => text

describe('formatProgress', () => {
  it('draws how far it is', () => {
    expect(formatProgress(run)).toBe(
      `[${'█'.repeat(18)}${'░'.repeat(12)}] 60 % · 12,000 of about 20,000 users · 11,000 sent`,
    )
  })

  it('does without the number of users, and with one that was too low', () => {
    expect(formatProgress({ ...run, expected: null, leftOut: 3 })).toBe('12,000 users · 11,000 sent · 3 left out')
    expect(formatProgress({ ...run, expected: 10 })).toContain('100 % · 12,000 of about 12,000 users')
  })
})

describe('formatRun', () => {
  it('says what became of whom', () => {
    const text = formatRun(run, plain)
    expect(text).toContain('may not be told       600 opted-out')
    expect(text).toContain('last sign of life     2 s ago')
  })

  it('says what to do about users who were left out, and why a run stopped', () => {
    const ended = { ...run, status: 'PAUSED', reason: 'PACING_DEADLINE', leftOut: 7, endedAt: run.startedAt } as const
    const text = formatRun(ended, plain)
    expect(text).toContain('PAUSED (PACING_DEADLINE)')
    expect(text).toContain('7 (run it again for them)')
    expect(text).not.toContain('sign of life')
  })
})

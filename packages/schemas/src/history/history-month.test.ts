import { describe, expect, it } from 'vitest'
import { historyIndexOf } from './history-month.ts'

describe('the index of a notification', () => {
  it.each([
    ['the first moment of a month', Date.UTC(2026, 1, 1), 'history-2026.02'],
    ['the last moment of a year', Date.UTC(2026, 0, 1) - 1, 'history-2025.12'],
    ['seconds taken for milliseconds', Date.UTC(2026, 1, 1) / 1_000, 'history-2000.01'],
    ['a time before all times', Number.MIN_SAFE_INTEGER, 'history-2000.01'],
    ['microseconds taken for milliseconds', Date.UTC(2026, 1, 1) * 1_000, 'history-2099.12'],
    ['a time after all times', Number.MAX_SAFE_INTEGER, 'history-2099.12'],
  ])('is that of the month, for %s', (_, timestamp, index) => {
    expect(historyIndexOf('history', timestamp)).toBe(index)
  })
})

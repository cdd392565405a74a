import { describe, expect, it } from 'vitest'
import { dropPercentage } from './drop-percentage.ts'

describe('dropPercentage', () => {
  it.each([
    [100, 90, 10],
    [79.9, 71.91, 10],
    [79.9, 71.92, 9],
    [0.3, 0.27, 10],
    [1, 0.71, 29],
    [129_000, 116_100, 10],
    [129_000, 116_100.1, 9],
    [19.99, 0, 100],
    [100, 100, 0],
  ])('from %d to %d is %d', (previous, current, percentage) => {
    expect(dropPercentage(previous, current)).toBe(percentage)
  })

  it('rounds down for a rise too', () => {
    expect(dropPercentage(100, 100.5)).toBe(-1)
    expect(dropPercentage(100, 150)).toBe(-50)
  })

  it('copes with the largest and smallest numbers of the wire', () => {
    expect(dropPercentage(3.4028235e38, 1e-45)).toBe(99)
    expect(dropPercentage(1e-45, 0)).toBe(100)
  })
})

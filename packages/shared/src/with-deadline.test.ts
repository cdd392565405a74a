import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withDeadline } from './with-deadline.ts'

describe('withDeadline', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const late = () => new Error('late')

  it('passes on the result or the failure of work that is in time, and leaves no timer', async () => {
    await expect(withDeadline(Promise.resolve(7), 100, late)).resolves.toBe(7)
    await expect(withDeadline(Promise.reject(new Error('broken')), 100, late)).rejects.toThrow('broken')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects at the deadline', async () => {
    const result = expect(withDeadline(new Promise(() => {}), 100, late)).rejects.toThrow('late')
    await vi.advanceTimersByTimeAsync(100)
    await result
  })

  it('does not let work that fails after the deadline become an unhandled rejection', async () => {
    const work = new Promise((_, reject) => setTimeout(() => reject(new Error('too late to matter')), 200))
    const result = expect(withDeadline(work, 100, late)).rejects.toThrow('late')
    await vi.advanceTimersByTimeAsync(300)
    await result
  })
})

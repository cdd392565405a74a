import { describe, expect, it, vi } from 'vitest'
import { createMonthIndices } from './month-indices.ts'

describe('the indices of the months', () => {
  it('are each made once, also for several who need them at the same time', async () => {
    const create = vi.fn(async () => {})
    const months = createMonthIndices(create)
    await Promise.all([months.ensure(['a', 'b', 'a']), months.ensure(['b'])])
    await months.ensure(['a'])
    expect(create.mock.calls).toEqual([['a'], ['b']])
  })

  it('are tried again if they could not be made', async () => {
    const create = vi.fn(async () => {}).mockRejectedValueOnce(new Error('down'))
    const months = createMonthIndices(create)
    await expect(months.ensure(['a'])).rejects.toThrow('down')
    await months.ensure(['a'])
    expect(create).toHaveBeenCalledTimes(2)
  })

  it('are looked for again once they are forgotten', async () => {
    const create = vi.fn(async () => {})
    const months = createMonthIndices(create)
    await months.ensure(['a'])
    months.forget('a')
    await months.ensure(['a'])
    expect(create).toHaveBeenCalledTimes(2)
  })
})

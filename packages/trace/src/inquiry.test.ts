import { TransientError } from '@dropbell/shared/errors'
import { describe, expect, it, vi } from 'vitest'
import { openInquiry } from './inquiry.ts'
import type { LedgerSource } from './sources/ledger-source.ts'
import type { RedisSource } from './sources/redis-source.ts'

const away = () =>
  Promise.reject(new TransientError('REDIS_UNAVAILABLE', 'no redis://me:hush@host', { dependency: 'redis' }))
const redis = { countOfDay: vi.fn(away) } as unknown as RedisSource
const ledger = { byId: async () => [] } as unknown as LedgerSource

describe('an inquiry', () => {
  it('asks a source that could not answer no second time, and reports it without its password', async () => {
    const inquiry = openInquiry({ redis, ledger })
    expect(await inquiry.ask('redis', (source) => source.countOfDay('u', 'd'))).toBeUndefined()
    expect(await inquiry.ask('redis', (source) => source.countOfDay('u', 'd'))).toBeUndefined()
    expect(redis.countOfDay).toHaveBeenCalledTimes(1)
    expect(await inquiry.ask('ledger', (source) => source.byId(['n']))).toEqual([])
    const reports = Object.fromEntries(inquiry.reports().map(({ source, ...report }) => [source, report]))
    expect(reports.redis?.state).toBe('unavailable')
    expect(reports.redis?.detail).not.toContain('hush')
    expect(reports.ledger?.state).toBe('answered')
    expect(reports.kafka?.state).toBe('not-configured')
  })

  it('fails where nobody could answer', async () => {
    const inquiry = openInquiry({ redis })
    await inquiry.ask('redis', (source) => source.countOfDay('u', 'd'))
    expect(() => inquiry.reports()).toThrow(expect.objectContaining({ code: 'TRACE_SOURCES_UNAVAILABLE' }))
  })

  it('hides no fault of ours', async () => {
    const broken = { byId: () => Promise.reject(new TypeError('x is undefined')) } as unknown as LedgerSource
    await expect(openInquiry({ ledger: broken }).ask('ledger', (source) => source.byId([]))).rejects.toThrow(TypeError)
  })
})

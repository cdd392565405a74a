import { describe, expect, it } from 'vitest'
import { durabilityFaults } from './redis-durability.ts'

const info = (fields: Record<string, string>): string =>
  Object.entries({ role: 'master', aof_enabled: '1', maxmemory_policy: 'noeviction', ...fields })
    .map(([name, value]) => `${name}:${value}`)
    .join('\r\n')

describe('durabilityFaults', () => {
  it('finds none in a master that writes everything down and evicts nothing', () => {
    expect(durabilityFaults(`# Server\r\n${info({})}\r\nexecutable:/a:b\r\n`)).toEqual([])
  })

  it.each([
    ['role', 'slave', /not a master/],
    ['aof_enabled', '0', /appendonly yes/],
    ['maxmemory_policy', 'allkeys-lru', /noeviction/],
    ['maxmemory_policy', 'volatile-ttl', /noeviction/],
  ])('finds %s:%s', (field, value, fault) => {
    expect(durabilityFaults(info({ [field]: value }))).toEqual([expect.stringMatching(fault)])
  })

  it('does not trust what it cannot see', () => {
    expect(durabilityFaults('# Server\r\nredis_version:7.0.0')).toHaveLength(3)
  })
})

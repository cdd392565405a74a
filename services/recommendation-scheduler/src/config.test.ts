import { ConfigError, defineConfig, loadConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { recommendationConfig } from './config.ts'

const load = (env: Record<string, string> = {}) => loadConfig(defineConfig(recommendationConfig), env)

describe('the configuration', () => {
  it('is every morning at nine in Seoul, three products for whoever was there in a week, by default', () => {
    expect(load()).toMatchObject({
      RECOMMENDATION_ENABLED: true,
      RECOMMENDATION_CRON: '0 0 9 * * *',
      RECOMMENDATION_ZONE: 'Asia/Seoul',
      RECOMMENDATION_ACTIVE_USER_DAYS: 7,
      RECOMMENDATION_LIMIT: 3,
      RECOMMENDATION_API_CONCURRENCY: 32,
      RECOMMENDATION_LOCK_AT_MOST_MS: 3_600_000,
      RECOMMENDATION_LOCK_AT_LEAST_MS: 300_000,
      RECOMMENDATION_HEARTBEAT_TIMEOUT_MS: 60_000,
    })
  })

  it.each([
    ['RECOMMENDATION_CRON', 'every morning'],
    ['RECOMMENDATION_CATCH_UP_UNTIL', '24:00'],
    ['RECOMMENDATION_CATCH_UP_UNTIL', '9'],
    ['RECOMMENDATION_LOCK_AT_LEAST_MS', '3600001'],
    ['RECOMMENDATION_LIMIT', '0'],
    ['RECOMMENDATION_API_URL', 'ftp://api'],
    ['RECOMMENDATION_API_URL', 'http://me:hush@api'],
    ['RECOMMENDATION_API_URL', 'http://api/?key=hush'],
  ])('refuses %s=%s', (name, value) => {
    const failure = (() => {
      try {
        return load({ [name]: value })
      } catch (error) {
        return error as ConfigError
      }
    })()
    expect(failure).toBeInstanceOf(ConfigError)
    expect(String(failure)).toContain(name)
    expect(String(failure)).not.toContain('hush')
  })

  it('refuses a zone that does not exist', () => {
    expect(() => load({ RECOMMENDATION_ZONE: 'Asia/Atlantis' })).toThrow(ConfigError)
  })
})

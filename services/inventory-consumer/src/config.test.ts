import { defineConfig, describeConfig, loadConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { inventoryConfig } from './config.ts'

const schema = defineConfig(inventoryConfig)

describe('the inventory configuration', () => {
  it('needs nothing to be set', () => {
    expect(loadConfig(schema, {})).toEqual({
      PRICE_DROP_THRESHOLD: 10,
      INTERESTED_USER_DAYS: 30,
      CART_USER_DAYS: 30,
      ROLE: 'all',
      FANOUT_INLINE_USERS: 1_000,
      FANOUT_CONCURRENCY: 2,
      FANOUT_TURN_MS: 2_000,
      TARGET_USER_LIMIT: 1_000_000,
      TARGET_PAGE_SIZE: 10_000,
      PRODUCT_NAME_CACHE_SIZE: 10_000,
      PRODUCT_NAME_CACHE_TTL_MS: 600_000,
      PRODUCT_NAME_CACHE_MISSING_TTL_MS: 30_000,
      PRODUCT_STATE_DAYS: 8,
    })
  })

  it('describes every variable', () => {
    expect(describeConfig(schema).filter((row) => row.description === '' || !row.expected)).toEqual([])
  })

  it.each([
    ['PRICE_DROP_THRESHOLD', '0'],
    ['PRICE_DROP_THRESHOLD', '101'],
    ['TARGET_PAGE_SIZE', '65536'],
    ['TARGET_USER_LIMIT', '0'],
    ['PRODUCT_STATE_DAYS', '1'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => loadConfig(schema, { [name]: value })).toThrow(name)
  })
})

import { defineConfig, describeConfig, loadConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { notificationConfig } from './config.ts'
import { expiryOf } from './notification-validity.ts'

const schema = defineConfig(notificationConfig)

describe('notificationConfig', () => {
  it('has the documented defaults', () => {
    expect(loadConfig(schema, {})).toEqual({
      DUPLICATE_PREVENTION_HOURS: 1,
      DAILY_LIMIT_PER_USER: 10,
      NOTIFICATION_VALIDITY_PROMOTIONAL_HOURS: 24,
      NOTIFICATION_VALIDITY_REMINDER_HOURS: 168,
      NOTIFICATION_VALIDITY_TRANSACTIONAL_HOURS: 168,
      NOTIFICATION_BATCH_SIZE: 500,
      NOTIFICATION_BATCH_DELAY_MS: 0,
      HISTORY_REFUSALS: 'on',
      GATE_REDIS_CHECK: 'on',
    })
  })

  it('describes every variable', () => {
    expect(describeConfig(schema).filter((row) => row.description === '' || !row.expected)).toEqual([])
  })

  it.each([
    ['DUPLICATE_PREVENTION_HOURS', '0'],
    ['DAILY_LIMIT_PER_USER', '0'],
    ['NOTIFICATION_BATCH_SIZE', '0'],
    ['HISTORY_REFUSALS', 'false'],
    ['GATE_REDIS_CHECK', 'no'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => loadConfig(schema, { [name]: value })).toThrow(name)
  })
})

describe('expiryOf', () => {
  const config = loadConfig(schema, { NOTIFICATION_VALIDITY_REMINDER_HOURS: '2' })

  it.each([
    ['PRICE_DROP', 24],
    ['BACK_IN_STOCK', 24],
    ['RECOMMENDATION', 24],
    ['REMINDER', 2],
    ['TRANSACTIONAL', 168],
  ] as const)('of a %s is %i hours after its event', (type, hours) => {
    expect(expiryOf(config, type, 1_000)).toBe(1_000 + hours * 3_600_000)
  })
})

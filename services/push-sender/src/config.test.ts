import { type ConfigFault, defineConfig, loadConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { senderConfig } from './config.ts'

const schema = defineConfig(senderConfig)

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    loadConfig(schema, env)
    return []
  } catch (error) {
    return (error as { faults: ConfigFault[] }).faults.map(({ name }) => name)
  }
}

describe('senderConfig', () => {
  it('has the delays of the quick retries and the hours of the sweep as defaults', () => {
    expect(loadConfig(schema, {})).toMatchObject({
      DELIVERY_RETRY_DELAYS_MS: ['1000', '2000', '4000'],
      RECOVERY_SWEEP_CRON: '*/5 9-21 * * *',
      RECOVERY_SWEEP_TIMEZONE: 'Asia/Seoul',
    })
  })

  it('takes over the work of a dead instance within a minute, whatever the settings', () => {
    expect(faultsOf({ DELIVERY_LEASE_MS: '50001' })).toEqual(['DELIVERY_LEASE_MS'])
    expect(faultsOf({ DELIVERY_POLL_INTERVAL_MS: '10001' })).toEqual(['DELIVERY_POLL_INTERVAL_MS'])
  })

  it('wants a provider to be done before the lease is over', () => {
    expect(faultsOf({ DELIVERY_LEASE_MS: '5000', DELIVERY_SEND_DEADLINE_MS: '4501' })).toEqual([
      'DELIVERY_SEND_DEADLINE_MS',
    ])
    expect(faultsOf({ DELIVERY_LEASE_MS: '5000', DELIVERY_SEND_DEADLINE_MS: '4500' })).toEqual([])
  })

  it('refuses a schedule that never comes', () => {
    expect(faultsOf({ RECOVERY_SWEEP_CRON: 'every now and then' })).toEqual(['RECOVERY_SWEEP_CRON'])
    expect(faultsOf({ RECOVERY_SWEEP_TIMEZONE: 'Mars/Olympus' })).toEqual(['RECOVERY_SWEEP_CRON'])
  })
})

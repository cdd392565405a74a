import { randomInt, randomUUID } from 'node:crypto'
import { createSmsControl, type SmsControl, smsGatewayUrl } from '@dropbell/local-stack/sms-simulator/control-client'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Registry } from 'prom-client'
import type { Provider } from '../../provider.ts'
import { createProviderMetrics } from '../../provider-metrics.ts'
import { smsConfig } from '../config.ts'
import { createSmsProvider } from '../create-sms-provider.ts'

const schema = defineConfig(smsConfig)

export interface OpenSms {
  provider: Provider
  /** The gateway's side of it. */
  gateway: SmsControl
  registry: Registry
  logLines(): Record<string, unknown>[]
  close(): Promise<void>
}

export const newPhoneNumber = (): string => `+8210${randomInt(10_000_000, 99_999_999)}${randomInt(1_000, 9_999)}`

/** A provider as the service makes it, on an account of its own in the simulator. */
export const openSms = (env: Environment = {}): OpenSms => {
  const account = `a-${randomUUID()}`
  const { SMS_GATEWAY_URL: endpoint } = testEnv()
  const config = loadConfig(schema, { SMS_GATEWAY_URL: smsGatewayUrl(endpoint, account), ...env })
  const registry = new Registry()
  const { log, lines } = captureLog()
  const provider = createSmsProvider({ config, metrics: createProviderMetrics(registry), log })
  const gateway = createSmsControl(endpoint, account)
  return { provider, gateway, registry, logLines: lines, close: provider.close }
}

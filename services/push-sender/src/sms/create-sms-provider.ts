import type { Logger } from '@dropbell/shared/log'
import { createChannelProvider } from '../channel-provider.ts'
import type { Provider } from '../provider.ts'
import type { ProviderMetrics } from '../provider-metrics.ts'
import { createSimulatedProvider } from '../simulated-provider.ts'
import { verdictBy } from '../verdict-by.ts'
import type { SmsConfig } from './config.ts'
import { isOperatorFault, saysGatewayIsDown } from './read-gateway-answer.ts'
import { createSmsTransport } from './sms-transport.ts'

export interface SmsProviderOptions {
  config: SmsConfig
  metrics: ProviderMetrics
  log: Logger
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** As many per connection as a gateway of ordinary speed answers before a batch's deadline. */
const grantedPerConnection = 20

/** Text messages as the configuration wants them. Nothing is connected yet when this returns. */
export const createSmsProvider = ({ config, metrics, log, now = Date.now }: SmsProviderOptions): Provider => {
  const { SMS_GATEWAY_URL: gatewayUrl } = config
  if (gatewayUrl === undefined) return createSimulatedProvider({ channel: 'SMS', log })
  return createChannelProvider({
    channel: 'SMS',
    transport: createSmsTransport({ config, gatewayUrl, now }),
    breaker: { failures: config.SMS_BREAKER_FAILURES, resetMs: config.SMS_BREAKER_RESET_MS },
    verdictOn: verdictBy(saysGatewayIsDown),
    isOperatorFault,
    maxGrant: config.SMS_MAX_CONNECTIONS * grantedPerConnection,
    metrics,
    log,
  })
}

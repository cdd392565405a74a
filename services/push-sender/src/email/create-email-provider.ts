import { PermanentError } from '@dropbell/shared/errors'
import type { Logger } from '@dropbell/shared/log'
import { createChannelProvider } from '../channel-provider.ts'
import type { Provider } from '../provider.ts'
import type { ProviderMetrics } from '../provider-metrics.ts'
import { createSimulatedProvider } from '../simulated-provider.ts'
import { verdictBy } from '../verdict-by.ts'
import type { EmailConfig } from './config.ts'
import { parseSender } from './mail-address.ts'
import { isOperatorFault, saysServerIsDown } from './read-smtp-error.ts'
import { createSmtpTransport } from './smtp-transport.ts'

export interface EmailProviderOptions {
  config: EmailConfig
  metrics: ProviderMetrics
  log: Logger
  /** Milliseconds since the epoch: the date of a mail. */
  now?: () => number
}

/** As many per connection as a mail server of ordinary speed takes before a batch's deadline. */
const grantedPerConnection = 20

/** E-mails as the configuration wants them. Nothing is connected yet when this returns. */
export const createEmailProvider = ({ config, metrics, log, now = Date.now }: EmailProviderOptions): Provider => {
  const { SMTP_URL: smtpUrl, EMAIL_FROM, EMAIL_UNSUBSCRIBE_URL: template, EMAIL_UNSUBSCRIBE_SECRET: secret } = config
  if (smtpUrl === undefined) return createSimulatedProvider({ channel: 'EMAIL', log })
  const from = EMAIL_FROM === undefined ? undefined : parseSender(EMAIL_FROM)
  if (from === undefined) throw new PermanentError('EMAIL_FROM_UNUSABLE', 'EMAIL_FROM is not an address')
  if (template === undefined) {
    log.warn({ channel: 'EMAIL' }, 'EMAIL_UNSUBSCRIBE_URL is not set: promotional e-mails cannot be unsubscribed from')
  }
  return createChannelProvider({
    channel: 'EMAIL',
    transport: createSmtpTransport({
      config,
      smtpUrl,
      rules: { from, unsubscribe: template === undefined ? undefined : { template, secret } },
      now,
    }),
    breaker: { failures: config.SMTP_BREAKER_FAILURES, resetMs: config.SMTP_BREAKER_RESET_MS },
    verdictOn: verdictBy(saysServerIsDown),
    isOperatorFault,
    maxGrant: config.SMTP_MAX_CONNECTIONS * grantedPerConnection,
    metrics,
    log,
  })
}

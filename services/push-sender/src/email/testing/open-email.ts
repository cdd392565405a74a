import { randomUUID } from 'node:crypto'
import { createSmtpControl, type SmtpControl, smtpUrlOf } from '@dropbell/local-stack/smtp-sink/control-client'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { Registry } from 'prom-client'
import type { Provider } from '../../provider.ts'
import { createProviderMetrics } from '../../provider-metrics.ts'
import { emailConfig } from '../config.ts'
import { createEmailProvider } from '../create-email-provider.ts'

const schema = defineConfig(emailConfig)

export interface OpenEmail {
  provider: Provider
  /** The mail server's side of it. */
  sink: SmtpControl
  logLines(): Record<string, unknown>[]
  close(): Promise<void>
}

export interface OpenEmailOptions {
  env?: Environment
  /** Other than the test run's. */
  sink?: { url: string; controlUrl: string }
  password?: string
}

export const newMailAddress = (): string => `kim-${randomUUID().slice(0, 8)}@example.org`

/** A provider as the service makes it, on an account of its own in the sink. */
export const openEmail = ({ env, sink, password }: OpenEmailOptions = {}): OpenEmail => {
  const account = `a-${randomUUID()}`
  const { SMTP_URL, SMTP_SINK_URL, SMTP_ALLOW_PLAINTEXT, EMAIL_FROM, EMAIL_UNSUBSCRIBE_URL } = testEnv()
  const config = loadConfig(schema, {
    ...{ SMTP_URL: smtpUrlOf(sink?.url ?? SMTP_URL, account, password), SMTP_ALLOW_PLAINTEXT },
    ...{ EMAIL_FROM, EMAIL_UNSUBSCRIBE_URL, ...env },
  })
  const { log, lines } = captureLog()
  const provider = createEmailProvider({ config, metrics: createProviderMetrics(new Registry()), log })
  const control = createSmtpControl(sink?.controlUrl ?? SMTP_SINK_URL, account)
  return { provider, sink: control, logLines: lines, close: provider.close }
}

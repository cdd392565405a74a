import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, filePath, flag, milliseconds, secret, text, url } from '@dropbell/shared/config/variables'
import { isLoopback } from '../is-loopback.ts'
import { parseSender } from './mail-address.ts'
import { unsubscribeFault } from './unsubscribe.ts'

const shape = {
  SMTP_URL: url('smtp', 'smtps')
    .optional()
    .describe(
      'Mail server, with user and password: smtp:// for STARTTLS, smtps:// for TLS at once; without it e-mails are simulated (only logged).',
    ),
  SMTP_ALLOW_PLAINTEXT: flag()
    .default(false)
    .describe('Whether to send without TLS where the mail server offers none, as a sink for development does.'),
  SMTP_CA_FILE: filePath().optional().describe("CA of the mail server's certificate, if it is not a public one."),
  SMTP_MAX_CONNECTIONS: count({ min: 1, max: 100 })
    .default(5)
    .describe('Most connections to the mail server, each with one e-mail under way.'),
  SMTP_CONNECT_TIMEOUT_MS: milliseconds({ min: 1 })
    .default(3_000)
    .describe('How long a connection to the mail server may take, greeting and TLS included.'),
  SMTP_BREAKER_FAILURES: count({ min: 1, max: 10_000 })
    .default(10)
    .describe('Failures of the mail server in a row after which nothing is sent to it for a while.'),
  SMTP_BREAKER_RESET_MS: milliseconds({ min: 1 })
    .default(5_000)
    .describe('How long nothing is sent then, before a single e-mail is tried.'),
  EMAIL_FROM: text()
    .optional()
    .describe('Sender of e-mails, such as `Dropbell <news@example.com>`; needed with SMTP_URL.'),
  EMAIL_UNSUBSCRIBE_URL: text()
    .optional()
    .describe(
      'Where a user stops promotional e-mails, https:// or mailto:, with {userId}; a POST to an https:// one must do so at once. With {signature} nobody can do so for others.',
    ),
  EMAIL_UNSUBSCRIBE_SECRET: secret()
    .optional()
    .describe('Key of {signature}: the HMAC-SHA256 of the user id, in base64url.'),
}

export const emailConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    const { SMTP_URL: smtpUrl, EMAIL_FROM: from, EMAIL_UNSUBSCRIBE_URL: template } = values
    if (smtpUrl !== undefined) {
      const { protocol, hostname, username, search } = new URL(smtpUrl)
      if (hostname === '') fault('SMTP_URL', 'names no host', 'smtp://host:port')
      if (search !== '') fault('SMTP_URL', 'has parameters', 'none: they have variables of their own')
      if (from === undefined) fault('EMAIL_FROM', 'is missing', 'a value, since SMTP_URL is set')
      // Whoever listens on the way would have our credentials.
      const inTheClear = protocol === 'smtp:' && values.SMTP_ALLOW_PLAINTEXT === true
      if (inTheClear && username !== '' && !isLoopback(hostname)) {
        fault('SMTP_ALLOW_PLAINTEXT', 'is true', 'false, since SMTP_URL holds credentials')
      }
    }
    if (from !== undefined && parseSender(from) === undefined) {
      fault('EMAIL_FROM', `is "${from}"`, 'an address, or `Name <address>`')
    }
    const problem = template && unsubscribeFault({ template, secret: values.EMAIL_UNSUBSCRIBE_SECRET })
    if (problem) fault('EMAIL_UNSUBSCRIBE_URL', `is "${template}"`, problem)
  },
}

export type EmailConfig = Config<typeof emailConfig>

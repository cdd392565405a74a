import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, milliseconds, oneOf, secret, text, url } from '@dropbell/shared/config/variables'
import { isLoopback } from '../is-loopback.ts'
import { headerFault } from './auth-header.ts'
import { smsContentTypes, templateFault } from './body-template.ts'

const shape = {
  SMS_GATEWAY_URL: url('http', 'https')
    .optional()
    .describe('Where text messages are posted to, one request each; without it they are simulated (only logged).'),
  SMS_AUTH_HEADER: secret()
    .optional()
    .describe('What the gateway knows us by: the value of Authorization, or `Name: value` for another header.'),
  SMS_CONTENT_TYPE: oneOf(smsContentTypes)
    .default('application/json')
    .describe('What SMS_BODY_TEMPLATE is; values are escaped accordingly.'),
  SMS_BODY_TEMPLATE: text()
    .default('{"to":"{{to}}","text":"{{text}}"}')
    .describe(
      'The request, with {{to}} and {{text}} (or {{title}} and {{body}}), if needed {{type}}, {{notificationId}}, {{idempotencyKey}}; in JSON between quotes.',
    ),
  SMS_IDEMPOTENCY_HEADER: text()
    .default('Idempotency-Key')
    .describe(
      'Header by which the gateway knows a message that is sent again; the same for all attempts of a delivery.',
    ),
  SMS_MAX_CHARACTERS: count({ min: 20, max: 2_000 })
    .default(300)
    .describe('Longest text of a message, title and body together; what is longer is cut.'),
  SMS_MAX_CONNECTIONS: count({ min: 1, max: 200 })
    .default(10)
    .describe('Most connections to the gateway, each with one message under way.'),
  SMS_CONNECT_TIMEOUT_MS: milliseconds({ min: 1 })
    .default(3_000)
    .describe('How long a connection to the gateway may take.'),
  SMS_BREAKER_FAILURES: count({ min: 1, max: 10_000 })
    .default(10)
    .describe('Failures of the gateway in a row after which nothing is sent to it for a while.'),
  SMS_BREAKER_RESET_MS: milliseconds({ min: 1 })
    .default(5_000)
    .describe('How long nothing is sent then, before a single message is tried.'),
}

export const smsConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    const { SMS_GATEWAY_URL: gateway, SMS_AUTH_HEADER: auth, SMS_IDEMPOTENCY_HEADER: header } = values
    const { SMS_CONTENT_TYPE: type, SMS_BODY_TEMPLATE: template } = values
    if (auth !== undefined && headerFault(auth)) fault('SMS_AUTH_HEADER', 'is not valid', 'one line of ASCII')
    if (gateway !== undefined && auth !== undefined) {
      const { protocol, hostname } = new URL(gateway)
      // Whoever listens on the way would have our credentials.
      if (protocol === 'http:' && !isLoopback(hostname)) {
        fault('SMS_GATEWAY_URL', 'is not encrypted', 'https://, since SMS_AUTH_HEADER is set')
      }
    }
    if (header !== undefined && !/^[A-Za-z\d-]+$/.test(header)) {
      fault('SMS_IDEMPOTENCY_HEADER', `is "${header}"`, 'the name of a header')
    }
    const problem = type && template && templateFault(template, type)
    if (problem) fault('SMS_BODY_TEMPLATE', 'is not usable', problem)
  },
}

export type SmsConfig = Config<typeof smsConfig>

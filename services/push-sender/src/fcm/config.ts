import { notificationTypeSymbols } from '@dropbell/schemas/generated/notification-event'
import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { commaList, count, filePath, flag, milliseconds, oneOf, text, url } from '@dropbell/shared/config/variables'

const shape = {
  FCM_TRANSPORT: oneOf(['http2', 'sdk', 'simulated'])
    .optional()
    .describe('How pushes leave: http2 where there are credentials or an FCM_ENDPOINT, else simulated (only logged).'),
  FCM_ENDPOINT: url('http', 'https')
    .optional()
    .describe('A simulator instead of Firebase Cloud Messaging; it gets no credentials.'),
  FCM_PROJECT_ID: text().optional().describe('Firebase project, if it is not that of FCM_CREDENTIALS_FILE.'),
  FCM_CREDENTIALS_FILE: filePath().optional().describe('Key of a service account that may send messages.'),
  FCM_APPLICATION_DEFAULT_CREDENTIALS: flag()
    .default(false)
    .describe('Whether to use the credentials of the machine instead of a key, as on Google Cloud.'),
  FCM_DATA_ONLY_TYPES: commaList({
    item: new RegExp(`^(${notificationTypeSymbols.join('|')})$`),
    expected: `a comma-separated list of ${notificationTypeSymbols.join(', ')}`,
  })
    .optional()
    .describe(
      'Types that reach the app as data, which shows them itself; all others are alerts that the system shows.',
    ),
  // FCM allows 600,000 a minute per project, errors included.
  FCM_MAX_PER_SECOND: count({ min: 1, max: 1_000_000 })
    .default(9_000)
    .describe('Most messages all instances together send in a second; a tenth of it may come at once.'),
  FCM_LOCAL_MAX_PER_SECOND: count({ min: 1, max: 1_000_000 })
    .default(100)
    .describe('Most transactional messages this instance sends in a second while Redis cannot answer for all.'),
  FCM_QUOTA_PAUSE_MS: milliseconds({ min: 1 })
    .default(60_000)
    .describe('How long all instances pause after a 429, unless FCM asks for longer.'),
  FCM_SESSIONS: count({ min: 1, max: 32 }).default(4).describe('Most HTTP/2 connections to FCM, opened as needed.'),
  FCM_STREAMS_PER_SESSION: count({ min: 1, max: 1_000 })
    .default(100)
    .describe('Most messages under way on one connection; fewer if FCM says so.'),
  FCM_CONNECT_TIMEOUT_MS: milliseconds({ min: 1 }).default(3_000).describe('How long a connection to FCM may take.'),
  FCM_PING_INTERVAL_MS: milliseconds({ min: 10 }).default(10_000).describe('How often a connection to FCM is tested.'),
  FCM_PING_TIMEOUT_MS: milliseconds({ min: 1 })
    .default(3_000)
    .describe('How long the answer to such a test may take before the connection is given up.'),
  FCM_BREAKER_FAILURES: count({ min: 1, max: 10_000 })
    .default(10)
    .describe('Failures of FCM in a row after which nothing is sent for a while.'),
  FCM_BREAKER_RESET_MS: milliseconds({ min: 1 })
    .default(5_000)
    .describe('How long nothing is sent then, before a single message is tried.'),
}

export const fcmConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    const { FCM_ENDPOINT, FCM_TRANSPORT, FCM_CREDENTIALS_FILE, FCM_PROJECT_ID } = values
    const ofMachine = values.FCM_APPLICATION_DEFAULT_CREDENTIALS === true
    // An access token of the real project must not travel to whatever an endpoint was set to for a test.
    const notWithEndpoint = 'nothing, since FCM_ENDPOINT is set and gets no credentials'
    if (FCM_ENDPOINT !== undefined && FCM_CREDENTIALS_FILE !== undefined) {
      fault('FCM_CREDENTIALS_FILE', 'is set', notWithEndpoint)
    }
    if (FCM_ENDPOINT !== undefined && ofMachine) fault('FCM_APPLICATION_DEFAULT_CREDENTIALS', 'is set', notWithEndpoint)
    if (FCM_CREDENTIALS_FILE !== undefined && ofMachine) {
      fault('FCM_APPLICATION_DEFAULT_CREDENTIALS', 'is set', 'nothing, since FCM_CREDENTIALS_FILE is set')
    }
    if (ofMachine && FCM_PROJECT_ID === undefined) {
      fault('FCM_PROJECT_ID', 'is missing', 'a value, since FCM_APPLICATION_DEFAULT_CREDENTIALS is set')
    }
    const reachable = FCM_ENDPOINT !== undefined || FCM_CREDENTIALS_FILE !== undefined || ofMachine
    if (FCM_TRANSPORT !== undefined && FCM_TRANSPORT !== 'simulated' && !reachable) {
      fault('FCM_CREDENTIALS_FILE', 'is missing', `a value, since FCM_TRANSPORT is ${FCM_TRANSPORT}`)
    }
  },
}

export type FcmConfig = Config<typeof fcmConfig>

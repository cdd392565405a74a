import type { Config, ConfigFragment } from '../config.ts'
import { milliseconds, oneOf, port, text } from './variables.ts'

/** What every service has, whatever it does. */
export const serviceConfig = {
  shape: {
    LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('info')
      .describe('The least severe log lines that are written.'),
    // Loopback, so that a process on somebody's machine shows its metrics to nobody else. An image sets 0.0.0.0.
    OPERATIONS_HOST: text()
      .default('127.0.0.1')
      .describe('Address on which /metrics, /healthz and /readyz listen; 0.0.0.0 in a container.'),
    OPERATIONS_PORT: port().default(9464).describe('Port of /metrics, /healthz and /readyz; 0 takes any free one.'),
    // Kubernetes and Compose kill after 30 s and 10 s; ending by ourselves before that leaves a report in the log.
    SHUTDOWN_TIMEOUT_MS: milliseconds({ min: 1 })
      .default(9_000)
      .describe('How long stopping may take in total before the process ends anyway.'),
  },
} satisfies ConfigFragment

export type ServiceConfig = Config<typeof serviceConfig>

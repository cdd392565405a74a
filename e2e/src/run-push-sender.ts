import { service, startApp } from '@dropbell/push-sender/app'
import { pushSenderSchema } from '@dropbell/push-sender/service-config'
import { type Environment, loadConfig } from '@dropbell/shared/config'
import type { Logger } from '@dropbell/shared/log'
import { createShutdown } from '@dropbell/shared/shutdown'
import type { RunningService } from './run-inventory-consumer.ts'

/** The real service, in this process. Only what is published from now on counts: it begins where its group left off. */
export const runPushSender = async (env: Environment, log: Logger): Promise<RunningService> => {
  const config = loadConfig(pushSenderSchema, { ...env, OPERATIONS_PORT: '0' })
  const shutdown = createShutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, log })
  const fail = (error: unknown): void => {
    throw error
  }
  try {
    const { operations } = await startApp({ config, log, shutdown, fail })
    const metrics = async () => (await fetch(`http://${operations.host}:${operations.port}/metrics`)).text()
    return { name: service, metrics, stop: shutdown.stop }
  } catch (error) {
    await shutdown.stop()
    throw error
  }
}

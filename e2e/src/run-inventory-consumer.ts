import { service, startApp } from '@dropbell/inventory-consumer/app'
import { inventoryConsumerSchema } from '@dropbell/inventory-consumer/service-config'
import { type Environment, loadConfig } from '@dropbell/shared/config'
import type { Logger } from '@dropbell/shared/log'
import { createShutdown } from '@dropbell/shared/shutdown'

export interface RunningService {
  name: string
  metrics(): Promise<string>
  stop(): Promise<unknown>
}

/** The real service, in this process. */
export const runInventoryConsumer = async (env: Environment, log: Logger): Promise<RunningService> => {
  const config = loadConfig(inventoryConsumerSchema, { ...env, OPERATIONS_PORT: '0' })
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

import * as historyIndexer from '@dropbell/history-indexer/app'
import { historyIndexerSchema } from '@dropbell/history-indexer/service-config'
import * as inventoryConsumer from '@dropbell/inventory-consumer/app'
import { inventoryConsumerSchema } from '@dropbell/inventory-consumer/service-config'
import * as pushSender from '@dropbell/push-sender/app'
import { pushSenderSchema } from '@dropbell/push-sender/service-config'
import * as recommendationScheduler from '@dropbell/recommendation-scheduler/app'
import { recommendationSchedulerSchema } from '@dropbell/recommendation-scheduler/service-config'
import { type Environment, loadConfig } from '@dropbell/shared/config'
import type { Logger } from '@dropbell/shared/log'
import type { AppContext } from '@dropbell/shared/run-service'
import { createShutdown } from '@dropbell/shared/shutdown'

export interface RunningService {
  name: string
  /** Of its operations port. */
  url: string
  metrics(): Promise<string>
  stop(): Promise<unknown>
}

type Start = (
  context: Omit<AppContext<never>, 'config'>,
  env: Environment,
) => Promise<{ operations: { host: string; port: number } }>

/** A real service, in this process. */
const runHere = async (name: string, start: Start, env: Environment, log: Logger): Promise<RunningService> => {
  const shutdown = createShutdown({ timeoutMs: 10_000, log })
  const fail = (error: unknown): void => {
    throw error
  }
  try {
    const { operations } = await start({ log, shutdown, fail }, { ...env, OPERATIONS_PORT: '0' })
    const url = `http://${operations.host}:${operations.port}`
    const metrics = async () => (await fetch(`${url}/metrics`)).text()
    return { name, url, metrics, stop: shutdown.stop }
  } catch (error) {
    await shutdown.stop()
    throw error
  }
}

export const runInventoryConsumer = (env: Environment, log: Logger): Promise<RunningService> => {
  const start: Start = (context, variables) =>
    inventoryConsumer.startApp({ ...context, config: loadConfig(inventoryConsumerSchema, variables) })
  return runHere(inventoryConsumer.service, start, env, log)
}

/** Only what is published from now on counts: it begins where its group left off. */
export const runPushSender = (env: Environment, log: Logger): Promise<RunningService> => {
  const start: Start = (context, variables) =>
    pushSender.startApp({ ...context, config: loadConfig(pushSenderSchema, variables) })
  return runHere(pushSender.service, start, env, log)
}

export const runHistoryIndexer = (env: Environment, log: Logger): Promise<RunningService> => {
  const start: Start = (context, variables) =>
    historyIndexer.startApp({ ...context, config: loadConfig(historyIndexerSchema, variables) })
  return runHere(historyIndexer.service, start, env, log)
}

export const runRecommendationScheduler = (env: Environment, log: Logger): Promise<RunningService> => {
  const start: Start = (context, variables) =>
    recommendationScheduler.startApp({ ...context, config: loadConfig(recommendationSchedulerSchema, variables) })
  return runHere(recommendationScheduler.service, start, env, log)
}

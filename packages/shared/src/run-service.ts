import nodeProcess from 'node:process'
import type { DestinationStream } from 'pino'
import type { ServiceConfig } from './config/service.ts'
import {
  ConfigError,
  type ConfigSchema,
  type ConfigShape,
  type ConfigValues,
  type Environment,
  loadConfig,
  redactConfig,
} from './config.ts'
import { createLogger, type Logger } from './log.ts'
import { createShutdown, type Shutdown } from './shutdown.ts'

/** 78 is EX_CONFIG of sysexits.h: a supervisor can tell that a restart will not help. */
export const exitCodes = { ok: 0, failed: 1, invalidConfig: 78 } as const

/** What of `process` a service needs, so that a test can stand in for it. */
export interface ServiceProcess {
  env: Environment
  on(event: string, listener: (...args: never[]) => void): unknown
  exit(code: number): unknown
  stderr: { write(text: string): unknown }
}

export interface AppContext<C> {
  config: C
  log: Logger
  shutdown: Shutdown
  /** For what makes going on pointless: stops everything and ends the process with 1. */
  fail(error: unknown): void
}

export interface ServiceOptions<S extends ConfigShape> {
  service: string
  schema: ConfigSchema<S>
  /** Adds to `shutdown` whatever it starts, as soon as it is started. */
  start(context: AppContext<ConfigValues<S>>): Promise<unknown>
  process?: ServiceProcess
  destination?: DestinationStream
}

/**
 * A service's `main.ts`. It runs until a signal (exit 0), a failure nobody handled or a failed start (exit 1), and
 * stops what was started in each case. A stop that fails or takes too long exits with 1, a second signal at once.
 */
export const runService = async <S extends ConfigShape>(
  options: ConfigValues<S> extends ServiceConfig ? ServiceOptions<S> : never,
): Promise<void> => {
  const { service, schema, start, process = nodeProcess as ServiceProcess, destination }: ServiceOptions<S> = options
  const config = loadOrExit(service, schema, process)
  if (config === undefined) return
  const { LOG_LEVEL: level, SHUTDOWN_TIMEOUT_MS: timeoutMs } = config
  const log = createLogger({ level, service, ...(destination && { destination }) })
  const shutdown = createShutdown({ timeoutMs, log })
  let exitCode: number = exitCodes.ok

  const end = async () => {
    if (shutdown.stopping.aborted) return
    const { ok } = await shutdown.stop()
    log.info({ outcome: ok ? 'stopped' : 'failed' }, 'service ended')
    process.exit(ok ? exitCode : exitCodes.failed)
  }
  const fail = (err: unknown, message: string): Promise<void> => {
    log.fatal({ err }, message)
    exitCode = exitCodes.failed
    return end()
  }
  const onSignal = (signal: string) => {
    if (shutdown.stopping.aborted) {
      log.warn({ signal }, 'second signal, ending at once')
      process.exit(exitCodes.failed)
      return
    }
    log.info({ signal }, 'service stopping')
    void end()
  }

  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (err: unknown) => void fail(err, 'uncaught exception'))
  process.on('unhandledRejection', (err: unknown) => void fail(err, 'unhandled rejection'))

  log.info({ config: redactConfig(schema, config) }, 'service starting')
  try {
    await start({ config, log, shutdown, fail: (error) => void fail(error, 'service cannot go on') })
    if (!shutdown.stopping.aborted) log.info('service started')
  } catch (err) {
    // What a start trips over when a signal has closed its connections is no fault of its own.
    if (shutdown.stopping.aborted) log.warn({ err }, 'start interrupted')
    else await fail(err, 'service failed to start')
  }
}

const loadOrExit = <S extends ConfigShape>(
  service: string,
  schema: ConfigSchema<S>,
  process: ServiceProcess,
): (ConfigValues<S> & ServiceConfig) | undefined => {
  try {
    return loadConfig(schema, process.env) as ConfigValues<S> & ServiceConfig
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${service}: ${error.message}\n`)
    process.exit(exitCodes.invalidConfig)
    return undefined
  }
}

import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type FetchWatch, installArtifact } from './artifacts/artifact-cache.ts'
import type { Engine, EngineSite } from './engines/engine.ts'
import { killProcess, signalTree, spawnEngine, stopProcess } from './processes/engine-process.ts'
import type { EngineUser } from './processes/engine-user.ts'
import { isAlive } from './processes/process-identity.ts'
import { giveAll } from './processes/run-as.ts'
import type { Warden } from './processes/warden.ts'
import type { EngineRecord, StackState } from './stack-state.ts'

export interface EngineRunnerOptions {
  engine: Engine
  home: string
  cache: string
  user: EngineUser | undefined
  state: StackState
  warden: Warden
}

const readyTimeoutMs = 120_000
const stopGraceMs = 20_000

/** One engine of one stack: start it, stop it, or do to it what production will. */
export interface EngineRunner {
  readonly engine: Engine
  readonly logFile: string
  record(): EngineRecord | undefined
  isRunning(): boolean
  site(): EngineSite
  /** Starts it unless it runs, and waits until it answers its own protocol. */
  start(env: Record<string, string>, watch: FetchWatch): Promise<void>
  stop(): Promise<void>
  kill(): Promise<void>
  freeze(): void
  thaw(): void
}

export const createEngineRunner = ({ engine, home, cache, user, state, warden }: EngineRunnerOptions): EngineRunner => {
  const directory = join(home, engine.name)
  const logFile = join(home, `${engine.name}.log`)
  const runsAs = engine.runsAsCaller ? undefined : user
  let installation = ''
  let dependencies: Record<string, string> = {}

  const record = (): EngineRecord | undefined => state.read(engine.name)
  const running = () => {
    const identity = record()?.process
    return identity && isAlive(identity) ? identity : undefined
  }
  const site = (): EngineSite => {
    const ports = record()?.ports
    if (!ports) throw new Error(`${engine.title} has never been started; \`npx pnpm stack up\` does`)
    return { directory, installation, ports, env: dependencies, user: runsAs }
  }

  /** Resolves to the time at which the engine itself began, after anything that had to be fetched. */
  const launch = async (watch: FetchWatch): Promise<number> => {
    if (engine.artifact) installation = await installArtifact(cache, engine.artifact, watch)
    watch.signal.throwIfAborted()
    const launchedAt = Date.now()
    watch.onProgress('preparing')
    await mkdir(directory, { recursive: true })
    await engine.prepare(site())
    await giveAll(runsAs, directory)
    watch.signal.throwIfAborted()
    const identity = await spawnEngine(await engine.command(site()), logFile, runsAs)
    warden.watch(identity.pid)
    await state.write(engine.name, { ports: site().ports, process: identity })
    return launchedAt
  }

  const forget = async (): Promise<void> => {
    const known = record()
    if (!known?.process) return
    warden.forget(known.process.pid)
    await state.write(engine.name, { ports: known.ports })
  }

  return {
    engine,
    logFile,
    record,
    site,
    isRunning: () => running() !== undefined,

    async start(env, watch) {
      dependencies = env
      const launchedAt = running() ? undefined : await launch(watch)
      watch.onProgress('starting')
      const version = await untilReady({
        engine,
        site: site(),
        isRunning: () => running() !== undefined,
        logFile,
        watch,
      })
      const startUpMs = launchedAt === undefined ? (record()?.startUpMs ?? 0) : Date.now() - launchedAt
      await state.write(engine.name, { ...(record() as EngineRecord), version, startUpMs })
    },

    async stop() {
      const identity = running()
      if (identity) await stopProcess(identity, engine.stopSignal ?? 'SIGTERM', stopGraceMs)
      await forget()
    },

    async kill() {
      const identity = running()
      if (identity) await killProcess(identity)
      await forget()
    },

    freeze() {
      const identity = running()
      if (identity) signalTree(identity, 'SIGSTOP')
    },

    thaw() {
      const identity = running()
      if (identity) signalTree(identity, 'SIGCONT')
    },
  }
}

interface Waiting {
  engine: Engine
  site: EngineSite
  isRunning(): boolean
  logFile: string
  watch: FetchWatch
}

const untilReady = async ({ engine, site, isRunning, logFile, watch }: Waiting): Promise<string> => {
  const deadline = Date.now() + readyTimeoutMs
  for (;;) {
    watch.signal.throwIfAborted()
    try {
      return await engine.probe(site)
    } catch (cause) {
      if (!isRunning()) throw new Error(`${engine.title} ended while it started.\n${await logTail(logFile)}`, { cause })
      if (Date.now() > deadline) {
        const waited = `${readyTimeoutMs / 1000} s`
        throw new Error(`${engine.title} does not answer after ${waited}.\n${await logTail(logFile)}`, { cause })
      }
      await delay(100, undefined, { signal: watch.signal })
    }
  }
}

export const logTail = async (logFile: string, lines = 20): Promise<string> => {
  const text = await readFile(logFile, 'utf8').catch(() => '')
  return `The last lines of ${logFile}:\n${text.trimEnd().split('\n').slice(-lines).join('\n')}`
}

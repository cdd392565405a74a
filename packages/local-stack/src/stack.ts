import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FetchWatch } from './artifacts/artifact-cache.ts'
import { createEngineRunner, type EngineRunner } from './engine-runner.ts'
import { allEngines } from './engines/all-engines.ts'
import type { Engine } from './engines/engine.ts'
import { type LockOptions, withFileLock } from './file-lock.ts'
import { choosePort, type PortChoice } from './ports.ts'
import { type EngineUser, giveTo } from './processes/engine-user.ts'
import { createWarden } from './processes/warden.ts'
import { type EngineRecord, openStackState } from './stack-state.ts'
import { inStartOrder, inStopOrder } from './start-order.ts'

export interface StackOptions {
  home: string
  cache: string
  user: EngineUser | undefined
  engines?: readonly Engine[]
  ports?: PortChoice
  /** Should this process die before it could clean up, the data goes too, and not only the engines. */
  ephemeral?: boolean
}

export interface EngineProgress {
  engine: Engine
  detail: string
}

export interface UpOptions {
  onProgress?: (progress: EngineProgress) => void
  onReady?: (runner: EngineRunner) => void
  signal?: AbortSignal
}

export interface StartedEngines {
  /** The names of those that did not run before. */
  started: string[]
}

/** What a test or a chaos run does to one engine. */
export interface EngineControl {
  start(): Promise<void>
  stop(): Promise<void>
  restart(): Promise<void>
  /** kill -9 of the whole process tree. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
}

export interface Stack {
  runners: EngineRunner[]
  /** Starts what does not run; on a failure or an abort it ends what this call has started. */
  up(options?: UpOptions): Promise<StartedEngines>
  /** Ends exactly the processes that the stack has started, or only some of them. Says which did run. */
  down(names?: readonly string[]): Promise<string[]>
  /** Down, and all data gone. */
  reset(): Promise<void>
  /** The variables by which clients find the engines. */
  env(): Record<string, string>
  /** From now on the engines may outlive this process. */
  release(): void
  engine(name: string): EngineControl
}

export const openStack = async (options: StackOptions): Promise<Stack> => {
  const { home, cache, user, engines = allEngines, ports = 'preferred', ephemeral = false } = options
  const lock = `${home}.lock`
  const state = await openStackState(join(home, 'stack.json'))
  const warden = createWarden(ephemeral ? home : undefined)
  const runners = engines.map((engine) => createEngineRunner({ engine, home, cache, user, state, warden }))

  const runnerOf = (name: string): EngineRunner => {
    const runner = runners.find(({ engine }) => engine.name === name)
    if (runner) return runner
    throw new Error(`There is no engine ${name}; there are ${engines.map((engine) => engine.name).join(', ')}`)
  }
  const envOf = (names: string[]): Record<string, string> =>
    Object.assign({}, ...names.map(runnerOf).map(({ engine, site }) => engine.env(site())))
  const startEngine = (runner: EngineRunner, watch: FetchWatch = unwatched): Promise<void> =>
    runner.start(envOf(runner.engine.dependsOn), watch)

  const assignPorts = async (): Promise<void> => {
    const taken = new Set(runners.flatMap(({ record, isRunning }) => (isRunning() ? portsIn(record()) : [])))
    for (const { engine } of runners.filter(({ isRunning }) => !isRunning())) {
      const chosen: Record<string, number> = {}
      for (const [purpose, preferred] of Object.entries(engine.ports)) {
        chosen[purpose] = await choosePort(preferred, ports, taken)
        taken.add(chosen[purpose])
      }
      await state.write(engine.name, { ports: chosen })
    }
  }

  const up = async ({ onProgress, onReady, signal }: UpOptions = {}): Promise<StartedEngines> => {
    await mkdir(home, { recursive: true })
    await chmod(home, 0o755)
    await giveTo(user, home)
    const ownRunners = runners.filter(({ isRunning }) => !isRunning())
    await assignPorts()
    const abort = new AbortController()
    const anyAbort = AbortSignal.any([abort.signal, ...(signal ? [signal] : [])])
    const starts = new Map<string, Promise<void>>()
    for (const runner of inStartOrder(runners)) {
      const { engine } = runner
      const begin = async (): Promise<void> => {
        await Promise.all(engine.dependsOn.map((name) => starts.get(name)))
        await startEngine(runner, { signal: anyAbort, onProgress: (detail) => onProgress?.({ engine, detail }) })
        onReady?.(runner)
      }
      const start = begin()
      start.catch((error) => abort.abort(error))
      starts.set(engine.name, start)
    }
    await Promise.allSettled(starts.values())
    if (!anyAbort.aborted) return { started: ownRunners.map(({ engine }) => engine.name) }
    await Promise.all(ownRunners.map((runner) => runner.stop()))
    throw anyAbort.reason
  }

  const down = async (names: readonly string[] = engines.map(({ name }) => name)): Promise<string[]> => {
    const chosen = runners.filter(({ engine }) => names.includes(engine.name))
    const running = chosen.filter(({ isRunning }) => isRunning()).map(({ engine }) => engine.title)
    for (const level of inStopOrder(chosen)) await Promise.all(level.map((runner) => runner.stop()))
    return running
  }

  /** One process at a time, and each on what the one before has left. */
  const alone = <T>(work: () => Promise<T>, waiting: LockOptions = {}): Promise<T> =>
    withFileLock(
      lock,
      async () => {
        await state.reload()
        return work()
      },
      waiting,
    )

  return {
    runners,
    up: (upOptions = {}) => {
      const onWait = (): void => {
        for (const { engine } of runners) upOptions.onProgress?.({ engine, detail: 'waiting for another process' })
      }
      return alone(() => up(upOptions), { onWait, ...(upOptions.signal && { signal: upOptions.signal }) })
    },
    down: (names) => alone(() => down(names)),
    reset: () =>
      alone(async () => {
        await down()
        await rm(home, { recursive: true, force: true })
        warden.release()
      }),
    release: () => warden.release(),
    env: () => envOf(engines.map(({ name }) => name)),
    engine: (name) => {
      const runner = runnerOf(name)
      return {
        start: () => startEngine(runner),
        stop: () => runner.stop(),
        kill: () => runner.kill(),
        freeze: () => runner.freeze(),
        thaw: () => runner.thaw(),
        restart: async () => {
          await runner.stop()
          await startEngine(runner)
        },
      }
    },
  }
}

const unwatched: FetchWatch = { onProgress: () => {}, signal: new AbortController().signal }

const portsIn = (record: EngineRecord | undefined): number[] => Object.values(record?.ports ?? {})

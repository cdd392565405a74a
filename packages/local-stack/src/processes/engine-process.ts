import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { EngineUser } from './engine-user.ts'
import { identify, isAlive, type ProcessIdentity, processTree } from './process-identity.ts'

export interface EngineCommand {
  file: string
  args: string[]
  cwd: string
  env?: Record<string, string>
}

/** Starts a command in a session of its own, so that a Ctrl-C in the terminal reaches us and not the engine. */
export const spawnEngine = async (
  { file, args, cwd, env }: EngineCommand,
  logFile: string,
  user: EngineUser | undefined,
): Promise<ProcessIdentity> => {
  const log = openSync(logFile, 'a')
  try {
    const child = spawn(file, args, {
      cwd,
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: cwd, ...env },
      detached: true,
      stdio: ['ignore', log, log],
      ...user,
    })
    await once(child, 'spawn')
    child.unref()
    return identify(child.pid as number) ?? { pid: child.pid as number, startedAt: 'ended at once' }
  } finally {
    closeSync(log)
  }
}

export const signalTree = (root: ProcessIdentity, signal: NodeJS.Signals): void => {
  if (isAlive(root)) for (const member of processTree(root.pid)) sendSignal(member, signal)
}

/** Asks the engine to end, and ends the whole tree by force if it has not done so within the grace period. */
export const stopProcess = async (
  root: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<'stopped' | 'killed' | 'not running'> => {
  if (!isAlive(root)) return 'not running'
  const tree = processTree(root.pid)
  sendSignal(root, signal)
  for (const member of tree) sendSignal(member, 'SIGCONT') // a frozen engine hears the signal only when it wakes
  if (await haveEnded(tree, graceMs)) return 'stopped'
  await killTree([...tree, ...processTree(root.pid)])
  return 'killed'
}

export const killProcess = async (root: ProcessIdentity): Promise<void> => {
  if (isAlive(root)) await killTree(processTree(root.pid))
}

const killTree = async (tree: ProcessIdentity[]): Promise<void> => {
  for (const member of tree) sendSignal(member, 'SIGKILL')
  if (!(await haveEnded(tree, 10_000))) throw new Error(`Processes ${tree.map(({ pid }) => pid)} do not end`)
}

const haveEnded = async (tree: ProcessIdentity[], timeoutMs: number): Promise<boolean> => {
  const deadline = Date.now() + timeoutMs
  while (tree.some(isAlive)) {
    if (Date.now() > deadline) return false
    await delay(25)
  }
  return true
}

const sendSignal = (target: ProcessIdentity, signal: NodeJS.Signals): void => {
  if (!isAlive(target)) return
  try {
    process.kill(target.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it ended in between: nothing to signal
  }
}

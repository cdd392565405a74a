import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface CliRun {
  child: ChildProcess
  /** When it has ended. */
  result: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>
}

/** Runs a TypeScript entry point of this repository the way its script does. */
export const runFromSource = (entry: string, args: string[] = [], env: Record<string, string> = {}): CliRun => {
  const child = spawn(process.execPath, ['--conditions=source', '--import=tsx', entry, ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const result = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], stdout, stderr]) => ({ code, signal, stdout, stderr }),
  )
  return { child, result }
}

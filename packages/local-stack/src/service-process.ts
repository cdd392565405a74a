import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { runFromSource } from './run-from-source.ts'

export interface ServiceProcess {
  /** Its log so far, one object a line. */
  lines(): readonly Record<string, unknown>[]
  metrics(): Promise<string>
  /** Of its operations port. */
  url: string
  signal(signal: NodeJS.Signals): void
  /** Stands still, by SIGSTOP. */
  isStopped(): Promise<boolean>
  /** By which signal it ended. */
  ended: Promise<NodeJS.Signals | null>
  /** kill -9. */
  kill(): Promise<void>
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>
}

export class ServiceStartError extends Error {}

/** A service as production runs it: a process of its own, from its entry point. Resolves when it has started. */
export const startServiceProcess = async (entry: string, env: Record<string, string>): Promise<ServiceProcess> => {
  const { child, result } = runFromSource(entry, [], { OPERATIONS_PORT: '0', ...env })
  const lines: Record<string, unknown>[] = []
  const started = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      const entry = JSON.parse(line) as Record<string, unknown>
      lines.push(entry)
      if (entry.msg === 'service started') resolve()
    })
    result.then(({ stderr }) => reject(new ServiceStartError(`${stderr}\n${JSON.stringify(lines.slice(-5), null, 1)}`)))
  })
  started.catch(() => {})
  await started
  const operations = lines.find(({ msg }) => msg === 'operations server listening')
  const url = `http://127.0.0.1:${operations?.port}`
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const ended = once(child, 'close')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }
  return {
    lines: () => lines,
    url,
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    signal: (signal) => void child.kill(signal),
    isStopped: async () => /^State:\s+T/m.test(await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')),
    ended: result.then(({ signal }) => signal),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

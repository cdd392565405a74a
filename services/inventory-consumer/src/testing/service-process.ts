import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { runFromSource } from '@dropbell/local-stack/testing/run-cli'

export interface ServiceProcess {
  /** Its log so far, one object a line. */
  lines(): readonly Record<string, unknown>[]
  metrics(): Promise<string>
  /** kill -9. */
  kill(): Promise<void>
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>
}

export class ServiceStartError extends Error {}

/** The service as production runs it: a process of its own. Resolves when it has joined its group. */
export const startServiceProcess = async (env: Record<string, string>): Promise<ServiceProcess> => {
  const { child, result } = runFromSource('services/inventory-consumer/src/main.ts', [], {
    OPERATIONS_PORT: '0',
    ...env,
  })
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
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const ended = once(child, 'close')
    child.kill(signal)
    const [code] = (await ended) as [number | null]
    return code
  }
  return {
    lines: () => lines,
    metrics: async () => (await fetch(`http://127.0.0.1:${operations?.port}/metrics`)).text(),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

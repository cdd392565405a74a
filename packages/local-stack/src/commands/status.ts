import { formatTable } from '@dropbell/shared/format-table'
import type { EngineRunner } from '../engine-runner.ts'
import { residentBytes } from '../processes/process-identity.ts'
import type { Stack } from '../stack.ts'

export interface EngineStatus {
  engine: string
  state: 'ready' | 'not answering' | 'down'
  version?: string
  port?: number
  pid?: number
  memoryMB?: number
}

export const readStatus = (stack: Stack): Promise<EngineStatus[]> => Promise.all(stack.runners.map(statusOf))

const statusOf = async ({ engine, record, isRunning, site }: EngineRunner): Promise<EngineStatus> => {
  const { process: identity, ports } = record() ?? {}
  if (!identity || !ports || !isRunning()) return { engine: engine.name, state: 'down' }
  const seen = { engine: engine.name, pid: identity.pid, port: ports.main as number }
  const memoryMB = Math.round(residentBytes(identity.pid) / 1e6)
  return engine.probe(site()).then(
    (version) => ({ ...seen, state: 'ready', version, memoryMB }),
    () => ({ ...seen, state: 'not answering', memoryMB }),
  )
}

export const formatStatus = (rows: EngineStatus[]): string =>
  formatTable(
    ['engine', 'state', 'version', 'port', 'pid', 'memory'],
    rows.map(({ engine, state, version, port, pid, memoryMB }) => [
      engine,
      state,
      version ?? '-',
      String(port ?? '-'),
      String(pid ?? '-'),
      memoryMB === undefined ? '-' : `${memoryMB} MB`,
    ]),
  )

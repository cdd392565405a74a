import { createLogger, type Logger } from '../log.ts'

export interface CapturedLog {
  log: Logger
  lines(): Record<string, unknown>[]
}

/** A logger whose lines a test can read. */
export const captureLog = (level = 'debug'): CapturedLog => {
  const lines: string[] = []
  const log = createLogger({ level, service: 'test', destination: { write: (line) => void lines.push(line) } })
  return { log, lines: () => lines.map((line) => JSON.parse(line)) }
}

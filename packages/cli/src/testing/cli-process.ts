import { join } from 'node:path'
import { type CliRun, runFromSource } from '@dropbell/local-stack/run-from-source'

const entry = join(import.meta.dirname, '../main.ts')

/** `dropbell` as a process of its own, with nothing of the developer's environment that would change its mind. */
export const runDropbell = (args: string[], env: Record<string, string> = {}): CliRun =>
  runFromSource(entry, args, { KAFKA_BROKERS: '', SCHEMA_REGISTRY_URL: '', TOPICS_REPLICATION_FACTOR: '', ...env })

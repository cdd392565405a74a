import type { Environment } from '@dropbell/shared/config'
import type { Logger } from '@dropbell/shared/log'
import type { ExitCode } from './exit-codes.ts'
import type { Output } from './output.ts'

/** What one run of a command is given. */
export interface Session {
  readonly env: Environment
  readonly output: Output
  /** What the client libraries say; silent without `--debug`. */
  readonly log: Logger
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Who runs it, for what keeps a record of that. */
  readonly operator: string
  /** The committed Avro files of packages/schemas. */
  readonly avroFolder: string
}

export type Execute<Options> = (session: Session, options: Options) => Promise<ExitCode>

/** Makes a commander action of a command: opens its session and keeps its exit code. */
export type RunCommand = <Options>(execute: Execute<Options>) => (options: Options) => Promise<void>

/** The environment as if the flags had been set in it. A flag that was not given changes nothing. */
export const withFlags = (env: Environment, flags: Environment): Environment => ({
  ...env,
  ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
})

import { RegistryRefusedError, RegistryUnavailableError } from '@dropbell/schemas/codec-errors'
import { ConfigError } from '@dropbell/shared/config'
import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

export interface FailureReport {
  readonly exitCode: ExitCode
  /** For stderr; empty if everything was said already. */
  readonly lines: readonly string[]
}

/** By the dependency that an error names. */
const addresses: Readonly<Record<string, string>> = {
  postgres: '--database or DATABASE_URL',
  elasticsearch: '--elasticsearch or ELASTICSEARCH_URL',
}

/** How the process ends after this failure, and what it says. */
export const explainFailure = (error: unknown, { debug }: { debug: boolean }): FailureReport => {
  const { exitCode, lines } = explain(error)
  if (!debug || error instanceof CommanderError) return { exitCode, lines }
  return { exitCode, lines: [...lines, ...stacksOf(error)] }
}

const explain = (error: unknown): FailureReport => {
  if (error instanceof CommanderError) {
    // commander has printed the help or the mistake itself.
    return { exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage, lines: [] }
  }
  if (error instanceof CliError) {
    return { exitCode: error.exitCode, lines: [error.message, ...(error.hint === undefined ? [] : [error.hint])] }
  }
  if (error instanceof ConfigError) {
    const hint = 'Set these variables in the environment or use the flags of the command: see --help.'
    return { exitCode: exitCodes.invalidConfig, lines: [error.message, hint] }
  }
  if (error instanceof RegistryUnavailableError) {
    const hint =
      'Is it running? `npx pnpm stack up` starts one on this machine; --registry or SCHEMA_REGISTRY_URL says where it is.'
    return { exitCode: exitCodes.unavailable, lines: [error.message, hint] }
  }
  if (error instanceof RegistryRefusedError) {
    return { exitCode: exitCodes.problemsFound, lines: [error.message] }
  }
  if (error instanceof TransientError && error.dependency !== undefined) {
    const variable = addresses[error.dependency]
    const hint = `Is it running? \`npx pnpm stack up\` starts one on this machine${variable ? `; ${variable} says where it is` : ''}.`
    const isAway = error.code.endsWith('_UNAVAILABLE')
    return { exitCode: exitCodes.unavailable, lines: [error.message, ...(isAway ? [hint] : [])] }
  }
  if (error instanceof PermanentError) return { exitCode: exitCodes.problemsFound, lines: [error.message] }
  const message = error instanceof Error ? error.message : String(error)
  return { exitCode: exitCodes.internal, lines: [`Unexpected: ${message}`, 'Run it again with --debug to see where.'] }
}

const stacksOf = (error: unknown): string[] => {
  const stacks: string[] = []
  for (let current = error; current instanceof Error; current = current.cause) {
    stacks.push(`${stacks.length === 0 ? '' : 'Caused by: '}${current.stack ?? current.message}`)
  }
  return stacks
}

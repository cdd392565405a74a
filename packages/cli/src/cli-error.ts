import { DropbellError } from '@dropbell/shared/errors'
import type { ExitCode } from './exit-codes.ts'

export interface CliErrorDetails {
  readonly code: string
  readonly message: string
  /** What the operator can do about it. */
  readonly hint?: string
  readonly exitCode: ExitCode
  readonly cause?: unknown
}

/** A failure that an operator can act on: what happened, what to do, and how the process ends. */
export class CliError extends DropbellError {
  override readonly name = 'CliError'
  readonly hint: string | undefined
  readonly exitCode: ExitCode

  constructor({ code, message, hint, exitCode, cause }: CliErrorDetails) {
    super(code, message, cause === undefined ? {} : { cause })
    this.hint = hint
    this.exitCode = exitCode
  }
}

export interface ErrorOptionsWithCause {
  cause?: unknown
}

/**
 * What every failure of ours has: a `code` that stays the same when the wording changes, so that callers,
 * alerts and dead letters can rely on it, and the `cause` it was made from.
 */
export class DropbellError extends Error {
  override readonly name: string = 'DropbellError'
  readonly code: string

  constructor(code: string, message: string, options: ErrorOptionsWithCause = {}) {
    super(message, options)
    this.code = code
  }
}

export interface TransientErrorOptions extends ErrorOptionsWithCause {
  /** What the other side asked for, if it asked. */
  retryAfterMs?: number
  /** The engine or peer that failed, by its name in /readyz: whoever waits knows whose probe to await. */
  dependency?: string
}

/** The same attempt may succeed later. */
export class TransientError extends DropbellError {
  override readonly name = 'TransientError'
  readonly retryAfterMs: number | undefined
  readonly dependency: string | undefined

  constructor(code: string, message: string, options: TransientErrorOptions = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
    this.dependency = options.dependency
  }
}

/** The same attempt will fail again: repeating it only costs time. */
export class PermanentError extends DropbellError {
  override readonly name: string = 'PermanentError'
}

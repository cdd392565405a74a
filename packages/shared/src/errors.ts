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

/** The same attempt may succeed later. `retryAfterMs` is what the other side asked for, if it asked. */
export class TransientError extends DropbellError {
  override readonly name = 'TransientError'
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, options: ErrorOptionsWithCause & { retryAfterMs?: number } = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The same attempt will fail again: repeating it only costs time. */
export class PermanentError extends DropbellError {
  override readonly name: string = 'PermanentError'
}

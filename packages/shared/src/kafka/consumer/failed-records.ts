/**
 * For a handler that knows which of its records failed and that the others are done: thrown, it spares the search for
 * them. Each fails with its own error, as if it had been tried alone.
 */
export class FailedRecords extends Error {
  override readonly name = 'FailedRecords'
  readonly failures: ReadonlyMap<unknown, unknown>

  constructor(failures: ReadonlyMap<unknown, unknown>) {
    super(`${failures.size} records failed`)
    this.failures = failures
  }
}

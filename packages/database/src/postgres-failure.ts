import { DropbellError, PermanentError, TransientError } from '@dropbell/shared/errors'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import pg from 'pg'

const dependency = 'postgres'

/**
 * Runs a query, and throws what went wrong as a failure of ours. Queries have no name: Postgres plans a named one, after it was
 * executed a few times, without looking at its values, takes any array for ten elements and joins five hundred row by row.
 */
export const askPostgres = async <T>(query: () => Promise<T>): Promise<T> => {
  try {
    return await query()
  } catch (error) {
    throw toPostgresFailure(error)
  }
}

/**
 * By codes and classes (their first two characters) of PostgreSQL's appendix A. Permanent is only what the values of a
 * question are to blame for. Its text is ours and always the same: what is wrong with that (a table that is gone, a
 * right that was taken away) is wrong for every record, and may be put right.
 */
const permanentClasses = ['22', '23']

const transientCodes: readonly (readonly [prefix: string, code: string])[] = [
  ['08', 'POSTGRES_UNAVAILABLE'], // connection
  ['28', 'POSTGRES_UNAVAILABLE'], // log-in refused: the fault of no record
  ['3D000', 'POSTGRES_UNAVAILABLE'], // no such database
  ['53', 'POSTGRES_UNAVAILABLE'], // out of memory, disk or connections
  ['57P0', 'POSTGRES_UNAVAILABLE'], // shutting down or starting
  ['25006', 'POSTGRES_UNAVAILABLE'], // a replica after a failover: read-only
  ['57014', 'POSTGRES_TIMEOUT'], // statement_timeout
  ['55P03', 'POSTGRES_TIMEOUT'], // lock_timeout
  ['25P03', 'POSTGRES_TIMEOUT'], // idle_in_transaction_session_timeout
  ['40', 'POSTGRES_CONFLICT'], // serialisation, deadlock
]

export const toPostgresFailure = (error: unknown): DropbellError => {
  if (error instanceof DropbellError) return error
  // What does not come from the server is about the way to it: refused, cut off, timed out.
  if (!(error instanceof pg.DatabaseError)) {
    const message = `Postgres is not available: ${redactCredentials(reasonOf(error))}`
    return new TransientError('POSTGRES_UNAVAILABLE', message, { cause: error, dependency })
  }
  const sqlState = error.code ?? ''
  const message = `Postgres answered ${sqlState}: ${redactCredentials(error.message)}`
  if (permanentClasses.includes(sqlState.slice(0, 2))) {
    return new PermanentError('POSTGRES_REFUSED', message, { cause: error })
  }
  const code = transientCodes.find(([prefix]) => sqlState.startsWith(prefix))?.[1] ?? 'POSTGRES_UNUSABLE'
  return new TransientError(code, message, { cause: error, dependency })
}

/** Node's connection errors for a name with several addresses have a code and no message. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

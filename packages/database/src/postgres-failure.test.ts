import { PermanentError, TransientError } from '@dropbell/shared/errors'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { toPostgresFailure } from './postgres-failure.ts'

const answered = (code: string): pg.DatabaseError => Object.assign(new pg.DatabaseError('no', 2, 'error'), { code })

describe('toPostgresFailure', () => {
  it.each([
    ['08006', 'POSTGRES_UNAVAILABLE'],
    ['28P01', 'POSTGRES_UNAVAILABLE'],
    ['53300', 'POSTGRES_UNAVAILABLE'],
    ['57P01', 'POSTGRES_UNAVAILABLE'],
    ['57P03', 'POSTGRES_UNAVAILABLE'],
    ['25006', 'POSTGRES_UNAVAILABLE'],
    ['57014', 'POSTGRES_TIMEOUT'],
    ['55P03', 'POSTGRES_TIMEOUT'],
    ['40001', 'POSTGRES_CONFLICT'],
    ['40P01', 'POSTGRES_CONFLICT'],
    ['42P01', 'POSTGRES_UNUSABLE'],
    ['42501', 'POSTGRES_UNUSABLE'],
    ['26000', 'POSTGRES_UNUSABLE'],
  ])('takes %s for a fault of the server that may pass', (sqlState, code) => {
    const failure = toPostgresFailure(answered(sqlState))
    expect(failure).toBeInstanceOf(TransientError)
    expect(failure).toMatchObject({ code, dependency: 'postgres', cause: { code: sqlState } })
  })

  it.each(['22021', '23505'])('takes %s for a question that will fail again', (sqlState) => {
    const failure = toPostgresFailure(answered(sqlState))
    expect(failure).toBeInstanceOf(PermanentError)
    expect(failure).toMatchObject({ code: 'POSTGRES_REFUSED', cause: { code: sqlState } })
  })

  it('takes whatever the server did not say for a lost connection', () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    expect(toPostgresFailure(refused)).toMatchObject({
      code: 'POSTGRES_UNAVAILABLE',
      message: 'Postgres is not available: ECONNREFUSED',
      dependency: 'postgres',
    })
    expect(toPostgresFailure(new Error('Query read timeout'))).toBeInstanceOf(TransientError)
  })

  it('passes on a failure of ours', () => {
    const failure = new PermanentError('MIGRATION_NOT_LISTED', 'x')
    expect(toPostgresFailure(failure)).toBe(failure)
  })
})

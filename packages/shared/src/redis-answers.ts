import type { ChainableCommander } from 'ioredis'
import { TransientError } from './errors.ts'

export interface RedisAnswers {
  answer<T>(pending: Promise<T>): Promise<T>
  /** All replies of a pipeline or transaction: one command that failed fails the call. */
  execute(commands: ChainableCommander): Promise<unknown[]>
  unavailable(cause: unknown): TransientError
}

/**
 * Whatever Redis says (loading, read-only, out of memory, not there), the records are as good as before: it is always
 * transient.
 */
export const redisAnswers = (code: string, message: string): RedisAnswers => {
  const unavailable = (cause: unknown) => new TransientError(code, message, { cause, dependency: 'redis' })
  const answer = async <T>(pending: Promise<T>): Promise<T> => {
    try {
      return await pending
    } catch (error) {
      throw unavailable(error)
    }
  }
  return {
    answer,
    unavailable,
    execute: async (commands) => {
      const results = await answer(commands.exec())
      const failure = results?.find(([error]) => error)?.[0]
      if (failure) throw unavailable(failure)
      return (results ?? []).map(([, reply]) => reply)
    },
  }
}

import { TransientError } from '@dropbell/shared/errors'
import { sleep } from '@dropbell/shared/kafka/consumer/sleep'

// As often, and as long apart, as a record is tried again.
const retries = 3
const pauseMs = 1_000

/** Tries again after failures that may pass. */
export const retryTransient = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let left = retries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TransientError) || left === 0 || signal.aborted) throw error
      await sleep(pauseMs, signal)
      signal.throwIfAborted()
    }
  }
}

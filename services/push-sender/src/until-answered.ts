import { TransientError } from '@dropbell/shared/errors'

const pauseMs = 200

export interface Waiting {
  wait(milliseconds: number): Promise<void>
  /** Of `performance.now()`. */
  deadline: number
}

/** Asks again after failures that may pass, for as long as the answer is of use. */
export const untilAnswered = async <T>(ask: () => Promise<T>, { wait, deadline }: Waiting): Promise<T> => {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof TransientError) || performance.now() + pauseMs >= deadline) throw error
      await wait(pauseMs)
    }
  }
}

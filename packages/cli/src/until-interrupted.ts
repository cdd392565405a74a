import { CliError } from './cli-error.ts'
import { exitCodes } from './exit-codes.ts'

/** Settles as `work` does, or rejects the moment the signal fires, so that whoever waits can clean up. */
export const untilInterrupted = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  let interrupt: () => void = () => {}
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () =>
      reject(new CliError({ code: 'INTERRUPTED', message: 'Interrupted.', exitCode: exitCodes.interrupted }))
  })
  signal.addEventListener('abort', interrupt)
  if (signal.aborted) interrupt()
  try {
    return await Promise.race([work, interrupted])
  } finally {
    signal.removeEventListener('abort', interrupt)
  }
}

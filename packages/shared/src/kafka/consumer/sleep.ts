export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Ends early, and does not reject, when `signal` is aborted. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, signal.aborted ? 0 : ms)
    signal.addEventListener('abort', end, { once: true })
  })

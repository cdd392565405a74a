/** Settles as `work` does, or rejects when `signal` is aborted. What `work` does after that is its own affair. */
export const unlessAborted = async <V>(work: Promise<V>, signal: AbortSignal): Promise<V> => {
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort)
  }
}

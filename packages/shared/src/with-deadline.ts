/** Settles as `work` does, or rejects after `timeoutMs`. What `work` does after that is its own affair. */
export const withDeadline = async <T>(work: Promise<T>, timeoutMs: number, onTimeout: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), timeoutMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

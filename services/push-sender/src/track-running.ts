export interface Tracked<Args extends unknown[], Result> {
  run(...args: Args): Promise<Result>
  /** Resolves when everything that runs now has ended, however it ends. */
  ended(): Promise<unknown>
}

/** For a shutdown: a caller may give work up that must not be cut off. */
export const trackRunning = <Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): Tracked<Args, Result> => {
  const running = new Set<Promise<Result>>()
  return {
    run: (...args) => {
      const started = work(...args).finally(() => running.delete(started))
      running.add(started)
      return started
    },
    ended: () => Promise.allSettled(running),
  }
}

import { sleep } from './kafka/consumer/sleep.ts'

/** Two kinds of work in one process, of which one must not wait for the other. */
export interface RightOfWay {
  /** Work that goes first. */
  first<T>(work: () => Promise<T>): Promise<T>
  /** For the other: resolves when no such work is under way, after `longestMs` at the latest. */
  giveWay(longestMs: number): Promise<void>
}

export const createRightOfWay = (): RightOfWay => {
  let underWay = 0
  let clear = new AbortController()
  return {
    first: async (work) => {
      if (underWay++ === 0) clear = new AbortController()
      try {
        return await work()
      } finally {
        if (--underWay === 0) clear.abort()
      }
    },
    giveWay: async (longestMs) => {
      if (underWay > 0) await sleep(longestMs, clear.signal)
    },
  }
}

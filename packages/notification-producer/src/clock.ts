import { setTimeout } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  wait(milliseconds: number): Promise<void>
}

export const systemClock: Clock = {
  now: Date.now,
  wait: async (milliseconds) => void (await setTimeout(milliseconds)),
}

import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { DropbellError, TransientError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { redactCredentials } from '../redact-credentials.ts'
import { withLockScripts } from './lock-scripts.ts'

export interface LockOptions {
  key: string
  /** A connection that neither queues nor repeats commands: whoever cannot be asked does not lock. */
  connect(): Promise<Redis>
  /** After this a holder that died, or stands still, has lost it. Each extension begins it anew. */
  atMostMs: number
  /** Nobody else gets it before this, however early it is released: clocks differ, and work may be done in no time. */
  atLeastMs: number
  log: Logger
}

/**
 * One holder at a time among any number of processes, with the meaning that ShedLock gives to it. It keeps work from
 * being done twice; it does not prove anything: whoever holds it may stand still and wake up when it belongs to somebody
 * else, so what must not happen twice needs a fence of its own.
 *
 * Every function rejects with LOCK_UNAVAILABLE (transient, redis) when Redis cannot say.
 */
export interface Lock {
  /** Undefined: somebody else has it. */
  tryAcquire(): Promise<HeldLock | undefined>
  /** Takes it from whoever has it. */
  seize(): Promise<HeldLock>
  /** How long somebody has it from now on, unless it is released or extended; 0: nobody has it. */
  remainingMs(): Promise<number>
}

export interface HeldLock {
  /** Aborted when it is, or must be taken for, somebody else's. */
  readonly lost: AbortSignal
  /** By this process's own clock, so that one that stood still knows it at once. */
  isHeld(): boolean
  /** Nothing happens if it was lost. `atOnce` is for a holder that did nothing with it: `atLeastMs` does not count. */
  release(options?: { atOnce?: boolean }): Promise<void>
}

// An answer that was lost is asked for again, and then given up: by then the lock may be ours without our knowing.
const takeTries = 2

export const createLock = (options: LockOptions): Lock => {
  const { key, connect, atMostMs, atLeastMs, log } = options

  const ask = async <T>(question: (client: Redis) => Promise<T>): Promise<T> => {
    try {
      return await question(withLockScripts(await connect()))
    } catch (error) {
      throw lockFailure(error)
    }
  }

  const askToTake = async <T>(token: string, question: (client: Redis) => Promise<T>): Promise<T> => {
    for (let left = takeTries - 1; ; left--) {
      try {
        return await ask(question)
      } catch (error) {
        if (left > 0) continue
        // If it was taken after all, nobody could use it for a long time.
        void ask((client) => client.lockRelease(key, token, 0)).catch(() => {})
        throw error
      }
    }
  }

  const hold = (token: string, since: number): HeldLock => {
    const lost = new AbortController()
    let until = since + atMostMs
    let released = false
    const giveUp = (): void => {
      clearInterval(extending)
      if (!released) lost.abort(new TransientError('LOCK_LOST', `the lock ${key} belongs to somebody else`))
    }
    const isHeld = (): boolean => !released && !lost.signal.aborted && performance.now() < until

    const extend = async (): Promise<void> => {
      if (!isHeld()) return giveUp()
      const askedAt = performance.now()
      try {
        if ((await ask((client) => client.lockExtend(key, token, atMostMs))) === 1) until = askedAt + atMostMs
        else giveUp()
      } catch (err) {
        // It is ours until its time is over.
        log.warn({ err }, 'lock not extended')
      }
    }
    const extending = setInterval(() => void extend(), Math.min(atMostMs / 3, longestUnextendedMs))
    extending.unref()

    return {
      lost: lost.signal,
      isHeld,
      release: async ({ atOnce = false } = {}) => {
        if (released) return
        released = true
        clearInterval(extending)
        const letGo = async (): Promise<void> => {
          const rest = atOnce ? 0 : Math.ceil(since + atLeastMs - performance.now())
          await ask((client) => client.lockRelease(key, token, Math.max(0, rest)))
        }
        try {
          await letGo()
        } catch (error) {
          // Otherwise nobody would get it before its longest time is over.
          const again = setInterval(() => {
            if (performance.now() > until) clearInterval(again)
            letGo().then(
              () => clearInterval(again),
              () => {},
            )
          }, releaseAgainMs)
          again.unref()
          throw error
        }
      },
    }
  }

  return {
    tryAcquire: async () => {
      const token = randomUUID()
      const since = performance.now()
      const taken = await askToTake(token, (client) => client.lockAcquire(key, token, atMostMs))
      return taken === 1 ? hold(token, since) : undefined
    },
    seize: async () => {
      const token = randomUUID()
      const since = performance.now()
      await askToTake(token, (client) => client.set(key, token, 'PX', atMostMs))
      return hold(token, since)
    },
    remainingMs: async () => Math.max(0, await ask((client) => client.pttl(key))),
  }
}

/** Long before its end, so that an outage of Redis costs nobody the lock that is shorter than that. */
const longestUnextendedMs = 30_000
const releaseAgainMs = 2_000

const lockFailure = (error: unknown): DropbellError => {
  if (error instanceof DropbellError) return error
  const why = redactCredentials(error instanceof Error ? error.message : String(error))
  return new TransientError('LOCK_UNAVAILABLE', `Redis cannot say who holds a lock: ${why}`, {
    cause: error,
    dependency: 'redis',
  })
}

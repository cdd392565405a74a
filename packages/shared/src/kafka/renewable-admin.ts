import { setTimeout as delay } from 'node:timers/promises'
import type { Admin, Kafka } from 'kafkajs'
import { PermanentError } from '../errors.ts'
import { withDeadline } from '../with-deadline.ts'

export interface RenewableAdmin {
  /** With a connected admin. After a failure the next use gets another. */
  use<T>(work: (admin: Admin) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface RenewableAdminOptions {
  /** For a connection and what is done with it; without one, as long as the client takes. */
  timeoutMs?: number
}

// An admin ends when its requests have, and a broker that hangs takes long to answer them.
const longestCloseMs = 1_000

/**
 * One admin, connected by the first use and kept for the next ones. After a failure it is replaced: its connection may
 * be half open, and would then time out for as long as the system takes to notice.
 */
export const createRenewableAdmin = (kafka: Kafka, { timeoutMs }: RenewableAdminOptions = {}): RenewableAdmin => {
  const abandoned = new Set<Promise<void>>()
  let current: Admin | undefined
  let closed = false

  const tooLate = (): Error => new Error(`no answer within ${timeoutMs} ms`)

  const abandon = (admin: Admin, connecting: Promise<void>): void => {
    if (current === admin) current = undefined
    // Nothing depends on how the end of a broken connection goes, except that `close` waits for it.
    const gone: Promise<void> = admin
      .disconnect()
      .catch(() => {})
      .finally(() => abandoned.delete(gone))
    abandoned.add(gone)
    // A connection that is only made after this would be left open.
    connecting.then(() => admin.disconnect()).catch(() => {})
  }

  return {
    use: async (work) => {
      if (closed) throw new PermanentError('KAFKA_CLOSED', 'the connection is closed')
      current ??= kafka.admin()
      const admin = current
      const connecting = admin.connect()
      const done = connecting.then(() => work(admin))
      try {
        return await (timeoutMs === undefined ? done : withDeadline(done, timeoutMs, tooLate))
      } catch (error) {
        abandon(admin, connecting)
        throw error
      }
    },
    close: async () => {
      closed = true
      const gone = Promise.all([current?.disconnect(), ...abandoned])
      await Promise.race([gone, delay(longestCloseMs, undefined, { ref: false })])
    },
  }
}

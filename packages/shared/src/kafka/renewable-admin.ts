import type { Admin, Kafka } from 'kafkajs'
import { PermanentError } from '../errors.ts'

export interface RenewableAdmin {
  /** With a connected admin. After a failure the next use gets another. */
  use<T>(work: (admin: Admin) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * One admin, connected by the first use and kept for the next ones. After a failure it is replaced: its connection may
 * be half open, and would then time out for as long as the system takes to notice.
 */
export const createRenewableAdmin = (kafka: Kafka): RenewableAdmin => {
  const abandoned = new Set<Promise<void>>()
  let current: Admin | undefined
  let closed = false

  const abandon = (admin: Admin): void => {
    if (current === admin) current = undefined
    // Nothing depends on how the end of a broken connection goes, except that `close` waits for it.
    const gone: Promise<void> = admin
      .disconnect()
      .catch(() => {})
      .finally(() => abandoned.delete(gone))
    abandoned.add(gone)
  }

  return {
    use: async (work) => {
      if (closed) throw new PermanentError('KAFKA_CLOSED', 'the connection is closed')
      current ??= kafka.admin()
      const admin = current
      try {
        await admin.connect()
        return await work(admin)
      } catch (error) {
        abandon(admin)
        throw error
      }
    },
    close: async () => {
      closed = true
      await Promise.all([current?.disconnect(), ...abandoned])
    },
  }
}

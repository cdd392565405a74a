import {
  type LedgerEntry,
  readEntriesById,
  readEntriesOfEvent,
  readEntriesOfUser,
  type UserEntriesQuery,
} from '@dropbell/database/ledger/read-entries'
import { type Recipient, readRecipients } from '@dropbell/database/read-recipients'
import type { Pool } from 'pg'

export interface LedgerSource {
  byId(notificationIds: readonly string[]): Promise<LedgerEntry[]>
  ofEvent(eventId: string, limit: number): Promise<LedgerEntry[]>
  ofUser(query: UserEntriesQuery): Promise<LedgerEntry[]>
  /** The default for whoever has no row. */
  recipient(userId: string): Promise<Recipient | undefined>
}

export const createLedgerSource = (pool: Pool): LedgerSource => ({
  byId: (notificationIds) => readEntriesById(pool, notificationIds),
  ofEvent: (eventId, limit) => readEntriesOfEvent(pool, eventId, limit),
  ofUser: (query) => readEntriesOfUser(pool, query),
  recipient: async (userId) => (await readRecipients(pool, [userId])).get(userId),
})

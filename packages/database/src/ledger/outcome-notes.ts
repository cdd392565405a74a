import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

/** Names a note that some outcomes are to be published. */
export type OutcomeNote = string

/** Of a delivery's update: its notification has another outcome to tell. */
export const reviseDelivery = 'revision = d.revision + 1, revised_at = now()'

/** Part of every statement that changes outcomes: all of them in one note, in the same transaction; none where there is none. */
export const noteOutcomes = (changed: string): string => `INSERT INTO unpublished_outcomes (notification_ids)
    SELECT array_agg(DISTINCT notification_id) FROM ${changed} HAVING count(*) > 0
    RETURNING note_id`

/** The oldest note whose writer should have published it by now. Several may find the same: an outcome says the same twice. */
export const readOldNoteSql = `
  SELECT note_id, notification_ids
  FROM unpublished_outcomes
  WHERE noted_at <= now() - $1 * interval '1 ms'
  ORDER BY noted_at
  LIMIT 1
`

/** To the end of the queue: what could not be published holds up nothing else. */
export const postponeNoteSql = `
  UPDATE unpublished_outcomes SET noted_at = now() WHERE note_id = $1
`

export const deleteNotesSql = `
  DELETE FROM unpublished_outcomes WHERE note_id = ANY ($1::bigint[])
`

export interface OldNote {
  readonly note: OutcomeNote
  readonly notificationIds: readonly string[]
}

export const readOldNote = async (pool: Pool, olderThanMs: number): Promise<OldNote | undefined> => {
  const { rows } = await askPostgres(() =>
    pool.query<{ note_id: OutcomeNote; notification_ids: string[] }>(readOldNoteSql, [olderThanMs]),
  )
  return rows[0] && { note: rows[0].note_id, notificationIds: rows[0].notification_ids }
}

export const postponeNote = async (pool: Pool, note: OutcomeNote): Promise<void> => {
  await askPostgres(() => pool.query(postponeNoteSql, [note]))
}

/** Only notes that one has heard of: what an answer that was lost has noted is for whoever finds it. */
export const deleteNotes = async (pool: Pool, notes: readonly OutcomeNote[]): Promise<void> => {
  if (notes.length === 0) return
  await askPostgres(() => pool.query(deleteNotesSql, [notes]))
}

import type { Pool } from 'pg'
import { askPostgres } from '../postgres-failure.ts'

/** Never backwards: a revision that is late does not hide that a newer one was published. */
export const markPublishedSql = `
  UPDATE notifications n
  SET published_revision = p.revision
  FROM unnest($1::uuid[], $2::int[]) AS p (notification_id, revision)
  WHERE n.notification_id = p.notification_id AND n.published_revision < p.revision
`

export interface PublishedRevision {
  readonly notificationId: string
  readonly revision: number
}

export const markPublished = async (pool: Pool, published: readonly PublishedRevision[]): Promise<void> => {
  if (published.length === 0) return
  const sorted = [...published].sort((a, b) => (a.notificationId < b.notificationId ? -1 : 1))
  const values = [sorted.map(({ notificationId }) => notificationId), sorted.map(({ revision }) => revision)]
  await askPostgres(() => pool.query({ name: 'mark-published', text: markPublishedSql, values }))
}

export type RecommendationRunStatus = 'RUNNING' | 'PAUSED' | 'FAILED' | 'DONE'

/** A row of `recommendation_runs`, with its heartbeat as an age by the database's clock. */
export interface RecommendationRunRow {
  /** YYYY-MM-DD, in the zone of the schedule. */
  day: string
  status: RecommendationRunStatus
  /** Why a run stopped before its end. */
  reason: string | null
  /** The audience is reckoned from here, however late a run goes on. */
  as_of: Date
  fence: number
  heartbeat_age_ms: number
  /** The last user of the audience who had a turn. */
  cursor: string | null
  /** Whether everybody of the audience had a turn; then only left-out users remain. */
  audience_read: boolean
  /** Roughly, how many users the audience has. */
  expected: number | null
  users: number
  sent: number
  nothing: number
  refused: Record<string, number>
  left_out: number
  started_at: Date
  ended_at: Date | null
}

/** Dates as text: the driver would make them midnights of wherever it runs. */
export const runColumns = `
  day::text, status, reason, as_of, fence, cursor, audience_read, expected, users, sent, nothing, refused, left_out,
  started_at, ended_at, (greatest(0, extract(epoch FROM now() - heartbeat_at)) * 1000)::float8 AS heartbeat_age_ms
`

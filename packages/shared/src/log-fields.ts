/**
 * The fields of our log lines, by the names under which they are found again. Declaring them to pino makes a
 * field of the wrong type a compile error.
 */
export interface LogFields {
  /** The failure a line is about. */
  err?: unknown
  /** A dependency, as it is named in /readyz. */
  dependency?: string
  dependencies?: readonly string[]
  /** A step of the shutdown. */
  step?: string
  /** How something ended. */
  outcome?: string
  signal?: string
  durationMs?: number
  host?: string
  port?: number
  /** The configuration with secrets hidden. */
  config?: Record<string, unknown>
  /** The part of a client library that speaks. */
  namespace?: string
  /** What a client library said in its own words. */
  detail?: string
  topic?: string
  partition?: number
  /** Of one record; of the first and last of several. */
  offset?: string
  firstOffset?: string
  lastOffset?: string
  groupId?: string
  traceparent?: string
  /** How many records a line is about, and what became of them. */
  records?: number
  processed?: number
  deadLettered?: number
  /** Tries so far, the first included. */
  attempts?: number
  /** Why a record became a dead letter, as in the metrics. */
  kind?: string
}

declare module 'pino' {
  interface LogFnFields extends LogFields {}
}

/** Never written, wherever in the first three levels of a line they are. */
export const sensitiveFields = [
  'password',
  'secret',
  'token',
  'accessToken',
  'refreshToken',
  'deviceToken',
  'apiKey',
  'authorization',
  'Authorization',
  'cookie',
  '["set-cookie"]',
  '["x-api-key"]',
  'phone',
  'phoneNumber',
  'email',
] as const

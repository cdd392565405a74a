import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { decodeJson } from './mark.ts'

const countsSchema = z.object({
  replayed: z.number(),
  quarantined: z.number(),
  dismissed: z.number(),
})

const runSchema = z.object({
  version: z.literal(1),
  id: z.string(),
  command: z.enum(['replay', 'dismiss']),
  topic: z.string(),
  /** The filters and options it was called with, as they were meant, for whoever looks later. */
  options: z.record(z.string(), z.unknown()),
  by: z.string(),
  begunAt: z.string(),
  /** When it last wrote something. */
  updatedAt: z.string(),
  /** One that was killed stays `running`. */
  state: z.enum(['running', 'finished', 'interrupted']),
  /** How many dead letters it set out to treat. */
  selected: z.number(),
  counts: countsSchema,
})

/** One `replay` or `dismiss`, as it stands in the state topic; its counts are of the same transactions as its marks. */
export type Run = z.infer<typeof runSchema>
export type RunCounts = Run['counts']

const keyPrefix = 'run/'

export const runKey = ({ id }: Pick<Run, 'id'>): string => `${keyPrefix}${id}`
export const isRunKey = (key: string): boolean => key.startsWith(keyPrefix)

export const encodeRun = (run: Run): Buffer => Buffer.from(JSON.stringify(run))
export const decodeRun = (value: Buffer): Run | undefined => decodeJson(runSchema, value)

/** Short enough to be typed, and in the order of time. */
export const newRunId = (now: number): string =>
  `${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`

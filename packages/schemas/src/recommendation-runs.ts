import type { ConfigFragment } from '@dropbell/shared/config'
import { secret, url } from '@dropbell/shared/config/variables'
import { z } from 'zod'

/**
 * What the recommendation scheduler and the command line tell each other: `POST /runs` to begin the run of a day or go on
 * with it, `GET /runs/{day}` to look at it; the day may be `today`, which is for the scheduler to know.
 */
export const runPaths = { runs: '/runs', run: (day: string) => `/runs/${encodeURIComponent(day)}` } as const

export const todaysRun = 'today'

/** In the zone of the schedule. */
export const daySchema = z.iso.date()

export const runRequestSchema = z.strictObject({
  /** Today, if left out. */
  day: daySchema.optional(),
  /** Take the run from a holder that has not been heard of for too long. */
  takeOver: z.boolean().default(false),
})

export type RunRequest = z.input<typeof runRequestSchema>

/** RUNNING: somebody works on it, or died while doing so. PAUSED and FAILED: it can go on. DONE: everybody had a turn. */
export const runStatuses = ['RUNNING', 'PAUSED', 'FAILED', 'DONE'] as const

export const runReportSchema = z.object({
  day: daySchema,
  status: z.enum(runStatuses),
  /** Of a run that stopped before its end: why, as a stable code. */
  reason: z.string().nullable(),
  /** How many users there are, roughly; null while nobody knows. */
  expected: z.number().nullable(),
  /** Users who had their turn. */
  users: z.number(),
  sent: z.number(),
  /** Users for whom there was nothing to recommend. */
  nothing: z.number(),
  /** Users who may not be told, by reason. */
  refused: z.record(z.string(), z.number()),
  /** Users who wait for another run, because nobody could say what to recommend to them. */
  leftOut: z.number(),
  fence: z.number(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  heartbeatAgeMs: z.number(),
})

export type RunReport = z.infer<typeof runReportSchema>

/** How a request for a run is answered: 202 started, 200 nothing to do, 409 for the rest of these. */
export const runAnswerKinds = ['started', 'nothing-to-do', 'under-way', 'locked', 'not-stale'] as const

export const runAnswerSchema = z.object({
  result: z.enum(runAnswerKinds),
  run: runReportSchema.nullable(),
  /** Of `locked` and `not-stale`: when to ask again. */
  retryAfterMs: z.number().optional(),
})

export type RunAnswer = z.infer<typeof runAnswerSchema>

/** For the service and for whoever calls it. */
export const triggerTokenConfig = {
  shape: {
    RECOMMENDATION_TRIGGER_TOKEN: secret()
      .pipe(z.string().min(16))
      .meta({ expected: 'a secret of 16 characters or more', secret: true })
      .optional()
      .describe('Who presents it may run recommendations by hand; unset, nobody may.'),
  },
} satisfies ConfigFragment

export const schedulerUrlConfig = {
  shape: {
    RECOMMENDATION_SCHEDULER_URL: url('http', 'https')
      .default('http://localhost:9464')
      .describe('Where `dropbell recommendations` finds the operations port of an instance.'),
  },
} satisfies ConfigFragment

import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import type { AcquireRun, NotAcquired, StartRequest } from './acquire-run.ts'
import type { ExecuteRun } from './execute-run.ts'

export type StartResult = { readonly kind: 'started'; readonly run: RecommendationRunRow } | NotAcquired

/** At most one run at a time here, and one of a day anywhere. */
export interface Runs {
  /** Resolves when the run has begun, or it is known why it has not. Rejects when Redis or Postgres cannot say. */
  start(request: StartRequest): Promise<StartResult>
  /** Ends the run under way after the page that is being published; somebody else goes on with it. */
  stop(): Promise<void>
}

export const createRuns = ({ acquire, explain }: AcquireRun, execute: ExecuteRun): Runs => {
  const halt = new AbortController()
  let underWay: { day: string; ended: Promise<void> } | undefined
  let isStarting = false

  const begin = async (request: StartRequest): Promise<StartResult> => {
    const current = underWay
    if (current !== undefined) {
      const known = await explain({ ...request, takeOver: false })
      if (known.kind !== 'locked' || current.day !== request.day) return known
      // It is on record that it has ended; only its lock is still to be released.
      await current.ended
    }
    const acquired = await acquire(request)
    if (acquired.kind !== 'acquired') return acquired
    const { run, held } = acquired
    const ended = execute(run, held, halt.signal).finally(() => {
      underWay = undefined
    })
    underWay = { day: run.day, ended }
    return { kind: 'started', run }
  }

  return {
    start: async (request) => {
      if (isStarting) return explain({ ...request, takeOver: false })
      isStarting = true
      try {
        return await begin(request)
      } finally {
        isStarting = false
      }
    },
    stop: async () => {
      halt.abort()
      await underWay?.ended
    },
  }
}

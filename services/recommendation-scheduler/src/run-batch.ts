import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import { commitPage, type PageCommit } from '@dropbell/database/recommendations/commit-page'
import { keepRun } from '@dropbell/database/recommendations/keep-run'
import { readLeftOut } from '@dropbell/database/recommendations/read-left-out'
import type { Gate, Slot } from '@dropbell/notification-producer/gate'
import type { PersonalPart } from '@dropbell/notification-producer/produce-personal-notifications'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { Pacer } from '@dropbell/shared/kafka/pacing'
import type { Logger } from '@dropbell/shared/log'
import { mapAhead } from '@dropbell/shared/map-ahead'
import type { Pool } from 'pg'
import type { ActiveUsers } from './active-users.ts'
import { callOffWith, unlessAborted } from './call-off.ts'
import { createOpenSlots } from './open-slots.ts'
import type { ProduceRecommendations } from './produce-recommendations.ts'
import { retryTransient } from './retry-transient.ts'
import { RunLost } from './run-lost.ts'
import type { ApiFailure, SchedulerMetrics } from './scheduler-metrics.ts'
import type { RecommendationSchedulerConfig } from './service-config.ts'

/** How a batch ended that was neither lost nor failed. */
export type BatchEnd = 'done' | 'pacing-deadline'

export interface BatchWatch {
  /** Aborted when nothing more may be published, with the reason. */
  readonly signal: AbortSignal
  /** Throws RunLost where the run is no longer ours, as far as this process can know by itself. */
  assertHeld(): void
}

export interface BatchDeps {
  pool: Pool
  activeUsers: ActiveUsers
  produce: ProduceRecommendations
  gate: Pick<Gate, 'release'>
  pacer: Pacer
  config: Pick<
    RecommendationSchedulerConfig,
    'PACING_DEADLINE_MS' | 'RECOMMENDATION_BATCH_SIZE' | 'RECOMMENDATION_PAGE_SIZE'
  >
  metrics: Pick<SchedulerMetrics, 'users' | 'leftOut'>
  log: Logger
}

export type RunBatch = (run: RecommendationRunRow, watch: BatchWatch) => Promise<BatchEnd>

/**
 * One turn for everybody who had none yet: the audience after the cursor, or, when all of it had a turn, those who were left
 * out. Part by part: admitted, asked for, published, committed behind the fence, and only then the next is published. A
 * part that is repeated, because its commit was never heard of, makes the same notifications.
 */
export const createRunBatch =
  (deps: BatchDeps): RunBatch =>
  async (run, watch) => {
    const { pool, config, metrics, log } = deps
    // Also aborted when the batch fails by itself: nothing is prepared any more for a publish that will not be.
    const { signal, callOff } = callOffWith(watch.signal)
    const slots = createOpenSlots()
    const holder = { day: run.day, fence: run.fence }
    const totals: Totals = { users: run.users, sent: run.sent, nothing: run.nothing, refused: { ...run.refused } }
    const pacing = deps.pacer.begin()
    let end: BatchEnd = 'done'

    const assertFence = async (): Promise<void> => {
      watch.assertHeld()
      if (!(await keepRun(pool, holder))) throw new RunLost('the run belongs to somebody else')
    }

    const waitForRoom = async (records: number): Promise<boolean> => {
      const since = performance.now()
      const room = pacing.wait(records, async () => {
        return !signal.aborted && performance.now() - since < config.PACING_DEADLINE_MS
      })
      // It looks at the lag first, and Kafka may take long to say.
      return unlessAborted(room, signal)
    }

    async function* parts(): AsyncGenerator<readonly string[], void, undefined> {
      const pages = run.audience_read
        ? leftOutPages()
        : deps.activeUsers.read(run.as_of.getTime(), run.cursor ?? undefined, signal)
      // The next page is asked for while this one is served.
      for await (const page of mapAhead(pages, async (users) => users, 1)) {
        const usable = page.filter(isUsable)
        if (usable.length < page.length) metrics.users.inc({ result: 'unusable' }, page.length - usable.length)
        for (const users of chunksOf(usable, config.RECOMMENDATION_BATCH_SIZE)) {
          if (!(await waitForRoom(users.length))) {
            end = 'pacing-deadline'
            return
          }
          yield users
        }
      }
    }

    async function* leftOutPages(): AsyncGenerator<readonly string[], void, undefined> {
      const limit = config.RECOMMENDATION_PAGE_SIZE
      for (let after: string | undefined; ; ) {
        const page = await retryTransient(() => readLeftOut(pool, { day: run.day, after, limit }), signal)
        if (page.length > 0) yield page
        if (page.length < limit) return
        after = page.at(-1)
      }
    }

    const commit = async (part: PersonalPart): Promise<void> => {
      addPart(totals, part, run.audience_read)
      const page = pageOf(part, run.audience_read, totals)
      const leftOut = await retryTransient(() => commitPage(pool, holder, page), signal)
      if (leftOut === undefined) throw new RunLost('another holder has raised the fence')
    }

    const release = async (slots: readonly Slot[]): Promise<void> => {
      if (slots.length === 0) return
      try {
        await retryTransient(() => deps.gate.release(slots), signal)
      } catch (err) {
        // For an hour they count as told. Better that than to stop the batch.
        log.warn({ err, records: slots.length }, 'slots not released')
      }
    }

    /** Of parts that were prepared and not published. Whoever has the run now may be about to publish them: then they stay. */
    const releaseOpen = async (): Promise<void> => {
      const open = await slots.left()
      if (open.length === 0) return
      try {
        await assertFence()
        await deps.gate.release(open)
      } catch (err) {
        log.warn({ err, records: open.length }, 'slots not released')
      }
    }

    try {
      for await (const part of deps.produce(run, parts(), { signal, assertFence, slots })) {
        slots.close(part.users)
        await commit(part)
        pacing.settled(part.users.length)
        await release(part.unused)
        countPart(part, run.audience_read, metrics)
      }
    } finally {
      pacing.end()
      callOff()
      await releaseOpen()
    }
    watch.signal.throwIfAborted()
    return end
  }

/** Postgres cannot store it, and no user of ours is nameless. */
const isUsable = (userId: string): boolean => userId !== '' && !userId.includes('\0')

type Totals = Pick<RecommendationRunRow, 'users' | 'sent' | 'nothing' | 'refused'>

const addPart = (totals: Totals, part: PersonalPart, wasLeftOut: boolean): void => {
  // Whoever was left out had a turn before.
  if (!wasLeftOut) totals.users += part.users.length
  totals.sent += part.published
  totals.nothing += part.nothing.length
  for (const [reason, count] of Object.entries(part.refused)) {
    totals.refused[reason] = (totals.refused[reason] ?? 0) + count
  }
}

const pageOf = (part: PersonalPart, wasLeftOut: boolean, totals: Totals): PageCommit => {
  const stillLeftOut = new Set(part.failed.map(({ userId }) => userId))
  return {
    ...totals,
    cursor: wasLeftOut ? undefined : part.users.at(-1),
    leftOut: part.failed,
    served: wasLeftOut ? part.users.filter((userId) => !stillLeftOut.has(userId)) : [],
  }
}

const countPart = (part: PersonalPart, wasLeftOut: boolean, { users, leftOut }: BatchDeps['metrics']): void => {
  if (!wasLeftOut) users.inc({ result: 'seen' }, part.users.length)
  users.inc({ result: 'sent' }, part.published)
  users.inc({ result: 'nothing' }, part.nothing.length)
  users.inc({ result: 'left-out' }, part.failed.length)
  for (const [result, count] of Object.entries(part.refused)) users.inc({ result }, count)
  for (const { reason } of part.failed) leftOut.inc({ reason: reason as ApiFailure })
}

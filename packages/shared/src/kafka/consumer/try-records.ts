import { failedDependency } from './decide-failure.ts'
import { FailedRecords } from './failed-records.ts'

export type TryOutcome = { ok: true } | { ok: false; error: unknown }

/**
 * Tries all records together. When that fails it tries the halves, the halves of a failing half, and so on, in order,
 * until each failure has one record: a single bad one among n costs about 2 log n more attempts, and its neighbours
 * nothing. All of this is one try of each record. An attempt that says itself which records failed is not repeated.
 *
 * A dependency that is down fails all records alike, so nothing is split then, and what is left is not even tried.
 * What fails once `signal` is aborted fails because of that; it is left out of the answer, as is what was not tried.
 */
export const tryRecords = async <R>(
  records: readonly R[],
  attempt: (records: readonly R[]) => Promise<void>,
  signal: AbortSignal,
): Promise<Map<R, TryOutcome>> => {
  const outcomes = new Map<R, TryOutcome>()
  const settle = (part: readonly R[], outcome: TryOutcome) => {
    for (const record of part) outcomes.set(record, outcome)
  }
  const untried = records.length === 0 ? [] : [records]
  for (let part = untried.pop(); part !== undefined && !signal.aborted; part = untried.pop()) {
    try {
      await attempt(part)
      settle(part, { ok: true })
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof FailedRecords) {
        for (const record of part) outcomes.set(record, outcomeIn(error, record))
        continue
      }
      if (failedDependency(error) !== undefined) {
        settle([part, ...untried].flat(), { ok: false, error })
        break
      }
      if (part.length === 1) {
        settle(part, { ok: false, error })
        continue
      }
      const middle = Math.ceil(part.length / 2)
      untried.push(part.slice(middle), part.slice(0, middle))
    }
  }
  return outcomes
}

const outcomeIn = ({ failures }: FailedRecords, record: unknown): TryOutcome =>
  failures.has(record) ? { ok: false, error: failures.get(record) } : { ok: true }

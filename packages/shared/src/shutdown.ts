import { PermanentError, TransientError } from './errors.ts'
import type { Logger } from './log.ts'
import { withDeadline } from './with-deadline.ts'

export type StopStep = () => Promise<unknown> | unknown

export interface StepReport {
  step: string
  /** `skipped`: the time was up before its turn. Stopping it out of order could do harm; the exit does no worse. */
  result: 'stopped' | 'failed' | 'timed-out' | 'skipped'
  durationMs: number
  error?: unknown
}

export interface StopReport {
  ok: boolean
  steps: readonly StepReport[]
}

export interface Shutdown {
  /** Aborted the moment stopping begins, for whatever should no longer take new work. */
  readonly stopping: AbortSignal
  /** To be called as soon as there is something to stop, so that a start that fails half-way is undone. */
  add(step: string, stop: StopStep): void
  /** Never rejects; every call returns the promise of the first. */
  stop(): Promise<StopReport>
}

/** A stack of what was started: stopped in reverse order, one after the other, within `timeoutMs` in total. */
export const createShutdown = ({ timeoutMs, log }: { timeoutMs: number; log: Logger }): Shutdown => {
  const pending: { step: string; stop: StopStep }[] = []
  const controller = new AbortController()
  let stopped: Promise<StopReport> | undefined
  let ended = false

  const stopAll = async (): Promise<StopReport> => {
    controller.abort()
    const deadline = performance.now() + timeoutMs
    const steps: StepReport[] = []
    // Not a loop over a copy: a start that is still under way may add steps while others stop.
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const report = await stopOne(next.step, next.stop, deadline)
      const { step, result, durationMs, error: err } = report
      if (result === 'stopped') log.debug({ step, durationMs }, 'shutdown step done')
      else log.error({ step, durationMs, outcome: result, ...(err !== undefined && { err }) }, 'shutdown step failed')
      steps.push(report)
    }
    ended = true
    return { ok: steps.every(({ result }) => result === 'stopped'), steps }
  }

  return {
    stopping: controller.signal,
    add: (step, stop) => {
      if (ended) throw new PermanentError('SHUTDOWN_ENDED', `${step} was started after the shutdown`)
      pending.push({ step, stop })
    },
    stop: () => {
      stopped ??= stopAll()
      return stopped
    },
  }
}

const stopOne = async (step: string, stop: StopStep, deadline: number): Promise<StepReport> => {
  const startedAt = performance.now()
  if (startedAt >= deadline) return { step, result: 'skipped', durationMs: 0 }
  const late = new TransientError('SHUTDOWN_TIMEOUT', `${step} did not stop in time`)
  const report = (result: StepReport['result'], error?: unknown): StepReport => ({
    step,
    result,
    durationMs: Math.round(performance.now() - startedAt),
    ...(error !== undefined && { error }),
  })
  try {
    await withDeadline(Promise.resolve().then(stop), deadline - startedAt, () => late)
    return report('stopped')
  } catch (error) {
    return report(error === late ? 'timed-out' : 'failed', error)
  }
}

import { DropbellError } from '@dropbell/shared/errors'
import type { Logger } from '@dropbell/shared/log'
import type { SchedulerMetrics } from './scheduler-metrics.ts'

export interface NotBegunDeps {
  metrics: Pick<SchedulerMetrics, 'runs'>
  log: Logger
}

/** No Redis, no run: whoever wanted one, it is counted and logged. */
export const recordNotBegun = (err: unknown, message: string, { metrics, log }: NotBegunDeps): void => {
  const noRedis = err instanceof DropbellError && 'dependency' in err && err.dependency === 'redis'
  metrics.runs.inc({ result: noRedis ? 'redis-unavailable' : 'failed' })
  log.error({ err }, message)
}

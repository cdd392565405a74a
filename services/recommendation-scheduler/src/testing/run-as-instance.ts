import { systemClock } from '@dropbell/notification-producer/clock'
import { runService } from '@dropbell/shared/run-service'
import { service, startApp } from '../app.ts'
import { recommendationSchedulerSchema } from '../service-config.ts'

/** What the test wants, as JSON in the environment of this entry point, which production does not have. */
export interface InstancePlan {
  prefix: string
  /** How far its clock is ahead of the real one. */
  aheadMs: number
  lookAgainMs: number
}

const { aheadMs, ...parts } = JSON.parse(process.env.INSTANCE_PLAN ?? '') as InstancePlan
const clock = { ...systemClock, now: () => Date.now() + aheadMs }

await runService({
  service,
  schema: recommendationSchedulerSchema,
  start: (context) => startApp(context, { ...parts, clock }),
})

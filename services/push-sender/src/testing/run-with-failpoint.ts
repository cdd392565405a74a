import { runService } from '@dropbell/shared/run-service'
import { service, startApp } from '../app.ts'
import type { Failpoint } from '../failpoint.ts'
import { type HeldDelivery, trafficKindOf } from '../held-delivery.ts'
import { pushSenderSchema } from '../service-config.ts'

/** What the test wants, as JSON in the environment of this entry point, which production does not have. */
export interface FailpointPlan {
  input: { topic: string; groupId: string }
  sessionTimeoutMs: number
  /** Where to die or to stand still, the first time a push of this kind gets there; 'nothing': also without any. */
  at?: { name: string; origin: string; kind: string; signal: 'SIGKILL' | 'SIGSTOP' }
}

const { input, sessionTimeoutMs, at } = JSON.parse(process.env.FAILPOINT_PLAN ?? '') as FailpointPlan
let armed = at !== undefined

const failpoint: Failpoint = async (name, origin, held) => {
  if (!armed || !at || name !== at.name || origin !== at.origin) return
  const isMeant = (delivery: HeldDelivery): boolean =>
    delivery.key.channel === 'PUSH' && trafficKindOf(delivery) === at.kind
  if (at.kind !== 'nothing' && !held.some(isMeant)) return
  armed = false
  process.kill(process.pid, at.signal)
  // A signal to oneself is not always there before the next line.
  await new Promise((resolve) => setTimeout(resolve, 50))
}

await runService({
  service,
  schema: pushSenderSchema,
  start: (context) =>
    startApp(
      { ...context, config: { ...context.config, CONSUMER_SESSION_TIMEOUT_MS: sessionTimeoutMs } },
      { failpoint, input },
    ),
})

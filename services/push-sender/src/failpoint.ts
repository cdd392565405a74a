import type { HeldDelivery } from './held-delivery.ts'

export const failpointNames = ['after-claim', 'after-attempt', 'after-accept', 'after-settle', 'before-offset'] as const

export type FailpointName = (typeof failpointNames)[number]

/** Whether a record brought the work or the poller found it. */
export type WorkOrigin = 'record' | 'poll'

/**
 * Called where a crash hurts most. In production it does nothing, and nothing in the environment can change that: only
 * a test's own entry point passes another.
 */
export type Failpoint = (name: FailpointName, origin: WorkOrigin, held: readonly HeldDelivery[]) => Promise<void>

export const noFailpoint: Failpoint = async () => {}

import type { PlannedTopic } from '@dropbell/schemas/topic-plan'
import type { Admin } from 'kafkajs'
import { createTopics } from './create-topics.ts'
import { readTopics, readTopicsOnceVisible } from './read-topics.ts'
import { compareTopics, type Drift } from './topic-drift.ts'

export interface AppliedTopic {
  readonly topic: string
  readonly state: 'created' | 'in-place' | 'drifted' | 'missing'
  readonly drift: readonly Drift[]
}

/** Also what `topics apply --json` prints. */
export interface AppliedTopics {
  /** Every topic is there and as declared. */
  readonly ok: boolean
  readonly dryRun: boolean
  readonly brokers: number
  readonly topics: readonly AppliedTopic[]
}

export interface ApplyOptions {
  readonly dryRun: boolean
  readonly onProgress: (text: string) => void
}

/**
 * Creates what is missing and leaves alone what is there. Whatever was created meanwhile by somebody else is compared
 * like any other existing topic, so two of these at once agree.
 */
export const applyTopics = async (
  admin: Admin,
  plan: readonly PlannedTopic[],
  { dryRun, onProgress }: ApplyOptions,
): Promise<AppliedTopics> => {
  onProgress('Reading the topics …')
  const { brokers } = await admin.describeCluster()
  const before = await readTopics(admin, plan)
  const missing = plan.filter(({ topic }) => !before.has(topic))
  const creating = !dryRun && missing.length > 0
  const created = creating
    ? await createTopics(admin, missing, (topic) => onProgress(`Creating ${topic} …`))
    : new Set<string>()
  const after = creating ? await readTopicsOnceVisible(admin, plan) : before

  const topics = compareTopics(plan, after).map(({ planned: { topic }, state, drift }): AppliedTopic => {
    return { topic, drift, state: state === 'in-place' && created.has(topic) ? 'created' : state }
  })
  const ok = topics.every(({ state }) => state === 'created' || state === 'in-place')
  return { ok, dryRun, brokers: brokers.length, topics }
}

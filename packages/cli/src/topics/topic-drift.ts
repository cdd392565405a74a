import type { PlannedTopic } from '@dropbell/schemas/topic-plan'

/** A topic as the cluster has it. */
export interface TopicState {
  readonly topic: string
  readonly partitions: number
  readonly replicationFactor: number
  readonly config: Readonly<Record<string, string>>
}

export interface Drift {
  readonly setting: string
  readonly declared: string
  readonly actual: string
}

export interface TopicComparison {
  readonly planned: PlannedTopic
  readonly actual: TopicState | undefined
  readonly state: 'in-place' | 'missing' | 'drifted'
  readonly drift: readonly Drift[]
}

export const PARTITIONS_SETTING = 'partitions'
export const REPLICATION_SETTING = 'replication.factor'
export const CLEANUP_SETTING = 'cleanup.policy'
export const RETENTION_SETTING = 'retention.ms'

export const compareTopics = (
  plan: readonly PlannedTopic[],
  found: ReadonlyMap<string, TopicState>,
): TopicComparison[] =>
  plan.map((planned) => {
    const actual = found.get(planned.topic)
    if (actual === undefined) return { planned, actual, state: 'missing', drift: [] }
    const drift = findDrift(planned, actual)
    return { planned, actual, state: drift.length === 0 ? 'in-place' : 'drifted', drift }
  })

/** In what an existing topic differs from its plan. */
export const findDrift = (planned: PlannedTopic, actual: TopicState): Drift[] => {
  const settings: Drift[] = [
    { setting: PARTITIONS_SETTING, declared: String(planned.numPartitions), actual: String(actual.partitions) },
    {
      setting: REPLICATION_SETTING,
      declared: String(planned.replicationFactor),
      actual: String(actual.replicationFactor),
    },
    ...planned.configEntries.map(({ name, value }) => ({
      setting: name,
      declared: value,
      actual: actual.config[name] ?? 'unset',
    })),
  ]
  return settings.filter(({ declared, actual }) => declared !== actual)
}

/** Why it was left as it is, or what to do about it. */
export const adviseOn = ({ setting, declared, actual }: Drift): string => {
  if (setting === PARTITIONS_SETTING) {
    return Number(actual) > Number(declared)
      ? 'partitions cannot be taken away: declare as many, or move to a new topic'
      : 'more partitions would move keys to others and break their order: move to a new topic, or add them while nothing is in flight'
  }
  if (setting === REPLICATION_SETTING) {
    return 'reassign the partitions with kafka-reassign-partitions, or set TOPICS_REPLICATION_FACTOR'
  }
  const alter = `kafka-configs --alter --entity-type topics --entity-name … --add-config ${setting}=${declared}`
  return setting === RETENTION_SETTING
    ? `${alter}, or set TOPICS_RETENTION_MS (dead letters: TOPICS_DLQ_RETENTION_MS)`
    : alter
}

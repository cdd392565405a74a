import { formatTable } from '@dropbell/shared/format-table'
import { formatDuration } from '../format-duration.ts'
import type { Colour, Output } from '../output.ts'
import type { AppliedTopic, AppliedTopics } from './apply-topics.ts'
import { adviseOn, type Drift, RETENTION_SETTING } from './topic-drift.ts'

const colours: Record<AppliedTopic['state'], Colour> = {
  created: 'green',
  'in-place': 'dim',
  drifted: 'yellow',
  missing: 'yellow',
}

export const formatApplied = (applied: AppliedTopics, paint: Output['paint']): string => {
  const { topics, dryRun } = applied
  const table = formatTable(
    ['topic', 'state'],
    topics.map(({ topic, state }) => [topic, paint(colours[state], describeState(state, dryRun))]),
  )
  const reports = [...topicsByDrift(topics)].map(([drift, names]) => `${paint('bold', names.join(', '))}\n${drift}`)
  return [table, ...reports, summarise(applied)].join('\n\n')
}

/** One wrong setting often drifts all topics alike: what is to be said is said once. */
const topicsByDrift = (topics: readonly AppliedTopic[]): Map<string, string[]> => {
  const groups = new Map<string, string[]>()
  for (const { topic, drift } of topics.filter((candidate) => candidate.drift.length > 0)) {
    const text = drift.map(formatDrift).join('\n')
    groups.set(text, [...(groups.get(text) ?? []), topic])
  }
  return groups
}

const describeState = (state: AppliedTopic['state'], dryRun: boolean): string => {
  if (state === 'missing') return dryRun ? 'would be created' : 'missing'
  return state === 'in-place' ? 'in place' : state
}

const formatDrift = (drift: Drift): string => {
  const { setting, declared, actual } = drift
  return `  ${setting} is ${formatValue(setting, actual)}, declared ${formatValue(setting, declared)}: ${adviseOn(drift)}`
}

const formatValue = (setting: string, value: string): string =>
  setting === RETENTION_SETTING && /^-?\d+$/.test(value) ? `${value} (${formatDuration(Number(value))})` : value

const summarise = ({ topics, dryRun }: AppliedTopics): string => {
  const count = (wanted: AppliedTopic['state']): number => topics.filter(({ state }) => state === wanted).length
  const parts = [
    `${count('created')} created`,
    `${count('in-place')} in place`,
    ...(count('missing') > 0 ? [`${count('missing')} ${dryRun ? 'to be created' : 'missing'}`] : []),
    ...(count('drifted') > 0 ? [`${count('drifted')} drifted, left alone`] : []),
  ]
  return `${parts.join(', ')}.`
}

import { formatTable } from '@dropbell/shared/format-table'
import { formatDuration } from '../format-duration.ts'
import type { Output } from '../output.ts'
import type { ListedTopic } from './list-topics.ts'

export const formatListed = (topics: readonly ListedTopic[], paint: Output['paint']): string => {
  const table = formatTable(
    ['topic', 'partitions', 'replicas', 'retention', 'records', 'state'],
    topics.map((topic) => formatRow(topic, paint)),
  )
  const missing = topics.filter(({ state }) => state === 'missing').length
  const drifted = topics.filter(({ state }) => state === 'drifted').length
  const notes = [
    ...(missing > 0 ? [`${missing} missing: \`dropbell topics apply\` creates them.`] : []),
    ...(drifted > 0 ? [`${drifted} drifted: \`dropbell topics apply --dry-run\` says what to do.`] : []),
  ]
  return [table, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n')
}

const formatRow = ({ topic, state, declared, actual, drift }: ListedTopic, paint: Output['paint']): string[] => {
  const { partitions, replicationFactor, retentionMs } = actual ?? declared
  // Of a missing topic, what it is going to be.
  const fact = (text: string): string => (actual === null ? paint('dim', text) : text)
  return [
    topic,
    fact(String(partitions)),
    fact(String(replicationFactor)),
    fact(retentionMs === null ? 'newest per key' : formatDuration(retentionMs)),
    actual === null ? '-' : String(actual.records),
    formatState(state, drift, paint),
  ]
}

const formatState = (state: ListedTopic['state'], drift: ListedTopic['drift'], paint: Output['paint']): string => {
  if (state === 'in-place') return paint('green', 'in place')
  if (state === 'missing') return paint('yellow', 'missing')
  return paint(
    'yellow',
    `drifted: ${drift.map(({ setting, declared }) => `${setting} declared ${declared}`).join(', ')}`,
  )
}

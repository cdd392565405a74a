import type { Run } from '@dropbell/dead-letters/run'
import { formatTable } from '@dropbell/shared/format-table'
import { printable } from '../printable.ts'
import { formatCount, formatMoment } from './format-facts.ts'

/** The newest first. */
export const formatRuns = (runs: readonly Run[]): string => {
  if (runs.length === 0) return 'No runs.'
  return formatTable(
    ['run', 'begun', 'by', 'what', 'state', 'selected', 'replayed', 'quarantined', 'dismissed'],
    runs.map(({ id, begunAt, by, command, topic, options, state, updatedAt, selected, counts }) => [
      printable(id, 40),
      formatMoment(Date.parse(begunAt)),
      printable(by, 40),
      printable([command, topic, ...describeOptions(options)].join(' '), 100),
      // One that was killed could not say so.
      state === 'running' ? `not ended, last heard of ${formatMoment(Date.parse(updatedAt))}` : state,
      formatCount(selected),
      formatCount(counts.replayed),
      formatCount(counts.quarantined),
      formatCount(counts.dismissed),
    ]),
  )
}

const describeOptions = (options: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(options).map(([name, value]) => `${name}=${String(value)}`)

import type { RunReport } from '@dropbell/schemas/recommendation-runs'
import type { Output } from '../output.ts'

const barWidth = 30

/** One line that grows: `[██████░░░░] 61 % · 12,000 of about 20,000 users · 11,800 sent`. */
export const formatProgress = ({ users, expected, sent, leftOut }: RunReport): string => {
  const details = [`${number(sent)} sent`, ...(leftOut > 0 ? [`${number(leftOut)} left out`] : [])]
  if (!expected) return [`${number(users)} users`, ...details].join(' · ')
  // The number of users is an estimate: a run is not over because it was too low.
  const share = Math.min(1, users / expected)
  const filled = Math.floor(share * barWidth)
  const bar = `[${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`
  return [bar, `${number(users)} of about ${number(Math.max(users, expected))} users`, ...details].join(' · ')
}

const colours = { RUNNING: 'cyan', PAUSED: 'yellow', FAILED: 'red', DONE: 'green' } as const

export const formatRun = (run: RunReport, paint: Output['paint']): string => {
  const refused = Object.entries(run.refused).map(([reason, count]) => `${number(count)} ${reason}`)
  const lines = [
    ['status', `${paint(colours[run.status], run.status)}${run.reason === null ? '' : ` (${run.reason})`}`],
    ['users', run.expected === null ? number(run.users) : `${number(run.users)} of about ${number(run.expected)}`],
    ['sent', number(run.sent)],
    ['nothing to recommend', number(run.nothing)],
    ['may not be told', refused.length === 0 ? '0' : refused.join(', ')],
    ['left out', `${number(run.leftOut)}${run.leftOut > 0 ? ' (run it again for them)' : ''}`],
    ['begun', run.startedAt],
    run.endedAt === null
      ? ['last sign of life', `${Math.round(run.heartbeatAgeMs / 1_000)} s ago`]
      : ['ended', run.endedAt],
  ] as const
  const body = lines.map(([name, value]) => `  ${name.padEnd(22)}${value}`).join('\n')
  return `Recommendations of ${run.day}\n${body}`
}

const number = (value: number): string => value.toLocaleString('en')

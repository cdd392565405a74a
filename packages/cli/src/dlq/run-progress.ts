import type { RunCounts } from '@dropbell/dead-letters/run'
import type { Output } from '../output.ts'
import { formatCount } from './format-facts.ts'

const barWidth = 24
const lineEveryMs = 5_000

export const doneOf = ({ replayed, quarantined, dismissed }: RunCounts): number => replayed + quarantined + dismissed

/** A bar with rate and time left; where nobody sees it move, a line now and then. */
export const createRunProgress = (
  { progress, warn, showsProgress }: Pick<Output, 'progress' | 'warn' | 'showsProgress'>,
  total: number,
  now: () => number = () => performance.now(),
) => {
  const begun = now()
  let lastLine = begun
  return (counts: RunCounts): void => {
    const done = doneOf(counts)
    const line = describeProgress(done, total, now() - begun)
    if (showsProgress) {
      progress(`[${bar(done, total)}] ${line}`)
    } else if (now() - lastLine >= lineEveryMs) {
      lastLine = now()
      warn(line)
    }
  }
}

const bar = (done: number, total: number): string => {
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth)
  return `${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}`
}

const describeProgress = (done: number, total: number, elapsedMs: number): string => {
  const rate = done / Math.max(elapsedMs / 1_000, 0.001)
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
  const left = rate > 0 ? formatSeconds((total - done) / rate) : 'unknown'
  return `${percent} %  ${formatCount(done)} of ${formatCount(total)}  ${formatCount(Math.round(rate))}/s  ${left} left`
}

const formatSeconds = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  return whole < 3_600 ? `${Math.ceil(whole / 60)} min` : `${(whole / 3_600).toFixed(1)} h`
}

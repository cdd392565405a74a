import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Bench, Expected, Sample } from './bench.ts'

export function describeMachine(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(1)
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  return `${availableParallelism()} cores (${model}), ${memory} GiB memory, Node ${process.version}`
}

export function describeSample({ ratios, figures }: Sample): string {
  return Object.entries({ ...ratios, ...figures })
    .map(([name, value]) => `${name} ${formatNumber(value)}`)
    .join(', ')
}

export function describeResult({ expected }: Bench, { ratios, figures }: Sample): string {
  const line = ([name, value]: [string, number]): string =>
    `  ${name.padEnd(24)} ${formatNumber(value)}${verdictOn(value, expected[name])}\n`
  const lines = (numbers: Sample['ratios']): string => Object.entries(numbers).map(line).join('')
  return `ratios, median\n${lines(ratios)}figures, median\n${lines(figures)}`
}

function verdictOn(value: number, expected: Expected | undefined): string {
  if (expected === undefined) return ''
  const [bound, isMet] =
    'atLeast' in expected
      ? [`at least ${formatNumber(expected.atLeast)}`, value >= expected.atLeast]
      : [`at most ${formatNumber(expected.atMost)}`, value <= expected.atMost]
  return `  (expected ${bound}: ${isMet ? 'met' : 'MISSED'})`
}

/** The line a program reads: always the last one. */
export const resultLine = ({ name }: Bench, { ratios, figures }: Sample): string =>
  JSON.stringify({ bench: name, ratios: mapValues(ratios, round), figures: mapValues(figures, round) })

const round = (value: number): number => Number(value.toPrecision(4))

const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)

const mapValues = (numbers: Readonly<Record<string, number>>, map: (value: number) => number) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, map(value)]))

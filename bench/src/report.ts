import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Bench, Sample } from './bench.ts'

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

export function describeResult({ expectedRatios }: Bench, { ratios, figures }: Sample): string {
  const ratioLines = Object.entries(ratios).map(([name, value]) => {
    const expected = expectedRatios[name]
    const verdict = expected === undefined ? '' : `  (expected ${expected}: ${value >= expected ? 'met' : 'MISSED'})`
    return `  ${name.padEnd(24)} ${formatNumber(value)}${verdict}\n`
  })
  const figureLines = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(24)} ${formatNumber(value)}\n`)
  return `ratios, median\n${ratioLines.join('')}figures, median\n${figureLines.join('')}`
}

/** The line a program reads: always the last one. */
export const resultLine = ({ name }: Bench, { ratios, figures }: Sample): string =>
  JSON.stringify({ bench: name, ratios: mapValues(ratios, round), figures: mapValues(figures, round) })

const round = (value: number): number => Number(value.toPrecision(4))

const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)

const mapValues = (numbers: Readonly<Record<string, number>>, map: (value: number) => number) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, map(value)]))

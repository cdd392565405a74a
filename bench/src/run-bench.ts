import type { Bench, Sample, Say } from './bench.ts'

const ROUNDS = 3

/** The median of three rounds, number by number. */
export async function runBench(
  bench: Bench,
  onRound: (sample: Sample, round: number) => void,
  say: Say = () => {},
): Promise<Sample> {
  const running = await bench.start(say)
  try {
    const samples: Sample[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      const sample = await running.round()
      onRound(sample, round)
      samples.push(sample)
    }
    return medianSample(samples)
  } finally {
    await running.stop()
  }
}

export function medianSample(samples: readonly Sample[]): Sample {
  return {
    ratios: medians(samples.map(({ ratios }) => ratios)),
    figures: medians(samples.map(({ figures }) => figures)),
  }
}

function medians(rounds: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name] ?? Number.NaN))]))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

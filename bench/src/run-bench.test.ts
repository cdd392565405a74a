import { describe, expect, it } from 'vitest'
import type { Bench } from './bench.ts'
import { resultLine } from './report.ts'
import { runBench } from './run-bench.ts'

function benchOf(ratios: number[], onStop = () => {}): Bench {
  return {
    name: 'sample',
    compares: 'one with another',
    expected: {},
    async start() {
      let round = 0
      return {
        async round() {
          const ratio = ratios[round++]
          if (ratio === undefined) throw new Error('the engine went away')
          return { ratios: { raw: ratio }, figures: { perSecond: ratio * 1_000 } }
        },
        async stop() {
          onStop()
        },
      }
    },
  }
}

describe('running a bench', () => {
  it('takes the median of three rounds', async () => {
    const rounds: number[] = []
    const bench = benchOf([0.9, 5, 1.1])
    const result = await runBench(bench, (_, round) => rounds.push(round))
    expect(rounds).toEqual([1, 2, 3])
    expect(JSON.parse(resultLine(bench, result))).toEqual({
      bench: 'sample',
      ratios: { raw: 1.1 },
      figures: { perSecond: 1_100 },
    })
  })

  it('stops what it started when a round fails', async () => {
    let stopped = false
    const bench = benchOf([1], () => {
      stopped = true
    })
    await expect(runBench(bench, () => {})).rejects.toThrow('the engine went away')
    expect(stopped).toBe(true)
  })
})

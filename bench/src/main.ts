import { parseArgs } from 'node:util'
import { admissionBench } from './admission.ts'
import type { Bench, Sample } from './bench.ts'
import { codecBench } from './codec.ts'
import { eventsBench } from './events.ts'
import { fanoutBench } from './fanout.ts'
import { historyBench } from './history.ts'
import { recommendationsBench } from './recommendations.ts'
import { describeMachine, describeResult, describeSample, resultLine } from './report.ts'
import { runBench } from './run-bench.ts'
import { senderBench } from './sender.ts'

const BENCHES: readonly Bench[] = [
  codecBench,
  admissionBench,
  fanoutBench,
  eventsBench,
  senderBench,
  historyBench,
  recommendationsBench,
]

const USAGE = `Usage: npx pnpm bench <name> [--json]

Measures ours against the bare libraries in the same run and shows the median of three rounds.

Benches:
${BENCHES.map(({ name, compares }) => `  ${name.padEnd(16)} ${compares}`).join('\n')}

Options:
  --json       end with one line { "bench": name, "ratios": { … }, "figures": { … } }
  -h, --help   show this text
`

const print = (text: string): void => void process.stdout.write(`${text}\n`)

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  const parsed = readArguments(args)
  if (typeof parsed === 'string') return refuse(parsed)
  if (parsed.help) {
    print(USAGE)
    return 0
  }
  const bench = BENCHES.find(({ name }) => name === parsed.name)
  if (bench === undefined)
    return refuse(parsed.name === undefined ? 'Which bench?' : `There is no bench "${parsed.name}".`)

  print(`${bench.name}: ${bench.compares}\n${describeMachine()}\n`)
  const onRound = (sample: Sample, round: number) => print(`round ${round}: ${describeSample(sample)}`)
  const result = await runBench(bench, onRound, (text) => print(`  ${text} …`))
  print(`\n${describeResult(bench, result)}`)
  if (parsed.json) print(resultLine(bench, result))
  return 0
}

function readArguments(args: string[]): { name: string | undefined; json: boolean; help: boolean } | string {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (positionals.length > 1) return 'One bench at a time.'
    return { name: positionals[0], json: values.json ?? false, help: values.help ?? false }
  } catch (error) {
    return (error as Error).message
  }
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n\n${USAGE}`)
  return 2
}

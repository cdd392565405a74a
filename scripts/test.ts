import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'

/**
 * `npx pnpm test`: everything, on real engines, in the order in which it fails fastest. A step that fails does not keep
 * the later ones from telling what they know.
 */

interface Counts {
  passed: number
  failed: number
  /** What failed before it passed. */
  secondTries: string[]
}

/** As vitest writes it. */
interface Results {
  numPassedTests: number
  numFailedTests: number
  testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[]
}

interface Step {
  name: string
  command: string[]
  /** Where vitest leaves its numbers. */
  results?: string
}

const resultsDirectory = 'test-results'

const vitest = (project: string): Step => {
  const results = `${resultsDirectory}/${project}.json`
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  return { name: project, command: ['vitest', 'run', '--project', project, ...reporters], results }
}

const steps: Step[] = [
  { name: 'check', command: ['pnpm', 'run', 'check'] },
  vitest('unit'),
  vitest('integration'),
  vitest('e2e'),
]

const run = async ([command = '', ...args]: string[]): Promise<boolean> => {
  const child = spawn(command, args, { stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

const nothing: Counts = { passed: 0, failed: 0, secondTries: [] }

const readCounts = async (results: string): Promise<Counts> => {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(await readFile(results, 'utf8')) as Results
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const retried = tests.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
  return { passed: numPassedTests, failed: numFailedTests, secondTries: retried.map(({ fullName }) => fullName) }
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

await rm(resultsDirectory, { recursive: true, force: true })
await mkdir(resultsDirectory)
const total = { passed: 0, failed: 0 }
const summary: string[] = []
let green = true

for (const { name, command, results } of steps) {
  print(`\n━━ ${name}\n`)
  const begun = Date.now()
  const succeeded = await run(command)
  const counts = results ? await readCounts(results).catch(() => nothing) : undefined
  total.passed += counts?.passed ?? 0
  total.failed += counts?.failed ?? 0
  const ok = succeeded && counts?.passed !== 0
  green &&= ok
  const tests = counts ? `${counts.passed} passed, ${counts.failed} failed` : ''
  const took = `${((Date.now() - begun) / 1000).toFixed(0)} s`.padStart(6)
  summary.push(`${ok ? '✔' : '✘'} ${name.padEnd(12)} ${took}  ${tests}`)
  for (const test of counts?.secondTries ?? []) summary.push(`    at the second try only: ${test}`)
}

print(`\n━━ ${green ? 'all green' : 'FAILED'}\n\n${summary.join('\n')}\n`)
print(`Tests: ${total.passed} passed, ${total.failed} failed`)
process.exitCode = green ? 0 : 1

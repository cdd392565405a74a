import type { Command } from 'commander'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'
import { recordStream, runInProcess } from './testing/run-in-process.ts'

const everyCommand = (command: Command, path: string[] = []): string[][] => [
  path,
  ...command.commands.flatMap((inner) => everyCommand(inner, [...path, inner.name()])),
]

const program = createProgram(
  {
    version: '1.2.3',
    env: {},
    output: createOutput({ stdout: recordStream(), stderr: recordStream(), env: {} }),
    signal: new AbortController().signal,
    operator: 'ann@shop',
    avroFolder: '',
  },
  () => async () => {},
)

describe('help', () => {
  it.each(everyCommand(program).map((path) => [['dropbell', ...path].join(' '), path] as const))(
    'of `%s` has an example of it',
    async (name, path) => {
      const { code, stdout } = await runInProcess([...path, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`  $ ${name}`)
    },
  )

  it('documents the exit codes', async () => {
    const { stdout } = await runInProcess(['--help'])
    for (const code of [0, 1, 2, 3, 4, 70, 78, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${code} +\\w`, 'm'))
  })

  it('names the variable that a flag stands for', async () => {
    const { stdout } = await runInProcess(['topics', 'list', '--help'])
    expect(stdout).toMatch(/--brokers <list>[^-]+env: KAFKA_BROKERS/)
  })
})

describe('a wrong command line', () => {
  it.each([
    ['an unknown option', ['topics', 'list', '--colour'], "unknown option '--colour'"],
    ['an unknown command', ['topics', 'remove'], "unknown command 'remove'"],
    ['an argument too many', ['topics', 'list', 'orders'], 'too many arguments'],
    ['an address that is none', ['topics', 'list', '--brokers', 'kafka'], 'Expected host:port'],
    ['a number that is none', ['topics', 'apply', '--replication-factor', 'three'], 'Expected a whole number'],
    ['no command at all', ['topics'], 'Usage: dropbell topics'],
    ['nothing to trace', ['trace'], '--notification, --event or --user'],
    ['two things to trace', ['trace', '--notification', 'n', '--user', 'u'], 'stands alone'],
    ['a notification that is none', ['trace', '--notification', 'n-1'], 'UUID'],
    ['a product of nobody', ['trace', '--product', 'P-1'], '--product goes with --user'],
    ['a moment that is none', ['trace', '--user', 'u', '--since', 'lately'], 'Expected how long ago'],
  ])('with %s ends with 2 and says so on stderr', async (_, args, message) => {
    const { code, stdout, stderr } = await runInProcess(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
  })
})

it.each([
  [['schemas', 'list', '--registry', 'https//ci:s3cr3t@registry'], 'SCHEMA_REGISTRY_URL'],
  [['db', 'migrate', '--database', 'mysql://ci:s3cr3t@db/shop'], 'DATABASE_URL'],
])('does not repeat an address that is none, since it may hold a password: %j', async (args, variable) => {
  const { code, stderr } = await runInProcess(args)
  expect(code).toBe(78)
  expect(stderr).toContain(variable)
  expect(stderr).not.toContain('s3cr3t')
})

it('ends with 78 and names every faulty variable', async () => {
  const env = { KAFKA_BROKERS: 'kafka', TOPICS_REPLICATION_FACTOR: '0' }
  const { code, stderr } = await runInProcess(['topics', 'apply'], { env })
  expect(code).toBe(78)
  expect(stderr).toContain('KAFKA_BROKERS is "kafka"')
  expect(stderr).toContain('TOPICS_REPLICATION_FACTOR is "0"')
})

it('takes the flag if the variable says something else', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>().mockRejectedValue(new TypeError('fetch failed'))
  vi.stubGlobal('fetch', fetch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const args = ['schemas', 'list', '--registry', 'http://flag:8081']
  const { code, stderr } = await runInProcess(args, { env: { SCHEMA_REGISTRY_URL: 'http://variable:8081' } })
  expect(code).toBe(3)
  expect(stderr).toContain('http://flag:8081')
  expect(fetch.mock.calls.every(([url]) => String(url).startsWith('http://flag:8081/'))).toBe(true)
})

it('checks the schemas it was built with where there are no files', async () => {
  const { code, stdout } = await runInProcess(['schemas', 'check', '--json'], { avroFolder: '/nowhere/avro' })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, source: 'built-in', registry: null })
})

it('prints its version', async () => {
  expect(await runInProcess(['--version'])).toMatchObject({ code: 0, stdout: '1.2.3\n' })
})

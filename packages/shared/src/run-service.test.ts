import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { serviceConfig } from './config/service.ts'
import { secret } from './config/variables.ts'
import { defineConfig } from './config.ts'
import { runService, type ServiceOptions } from './run-service.ts'

const schema = defineConfig(serviceConfig, { shape: { EXAMPLE_KEY: secret() } })
type Start = ServiceOptions<typeof schema.shape>['start']

/** Runs `start` in a stand-in for the process, whose exit codes, log and stopped steps can be looked at. */
const run = async (start: Start, env: Record<string, string> = { EXAMPLE_KEY: 'hunter2' }) => {
  const events = new EventEmitter()
  const codes: number[] = []
  const errors: string[] = []
  const lines: string[] = []
  const started = runService({
    service: 'example',
    schema,
    start,
    process: {
      env,
      on: (event, listener) => events.on(event, listener as () => void),
      exit: (code) => codes.push(code),
      stderr: { write: (line) => errors.push(line) },
    },
    destination: { write: (line) => void lines.push(line) },
  })
  await new Promise(setImmediate)
  const messages = () => lines.map((line) => JSON.parse(line).msg)
  const exit = () => vi.waitUntil(() => codes.length > 0)
  return { events, codes, errors, lines, messages, started, exit }
}

describe('runService', () => {
  it('starts with the loaded configuration and prints it without secrets', async () => {
    let key: string | undefined
    const { codes, lines, messages } = await run(async ({ config }) => {
      key = config.EXAMPLE_KEY
    })
    expect(key).toBe('hunter2')
    expect(messages()).toEqual(['service starting', 'service started'])
    expect(JSON.parse(lines[0] ?? '').config).toMatchObject({ EXAMPLE_KEY: '[redacted]', LOG_LEVEL: 'info' })
    expect(codes).toEqual([])
  })

  it('prints all faults of the configuration and exits with 78 without starting', async () => {
    const start = vi.fn<Start>()
    const { codes, errors } = await run(start, { LOG_LEVEL: 'loud' })
    expect(codes).toEqual([78])
    expect(errors.join()).toMatch(/^example: .*2 fault.*\n.*LOG_LEVEL is "loud".*\n.*EXAMPLE_KEY is missing/)
    expect(start).not.toHaveBeenCalled()
  })

  it.each(['SIGTERM', 'SIGINT'])('stops on %s and exits with 0', async (signal) => {
    const stop = vi.fn()
    const { events, codes, exit } = await run(async ({ shutdown }) => shutdown.add('step', stop))
    events.emit(signal, signal)
    await exit()
    expect(stop).toHaveBeenCalledOnce()
    expect(codes).toEqual([0])
  })

  it('exits with 1 when a step fails to stop', async () => {
    const { events, codes, exit } = await run(async ({ shutdown }) =>
      shutdown.add('step', () => Promise.reject(new Error('stuck'))),
    )
    events.emit('SIGTERM', 'SIGTERM')
    await exit()
    expect(codes).toEqual([1])
  })

  it('exits with 1 when stopping takes longer than SHUTDOWN_TIMEOUT_MS', async () => {
    const env = { EXAMPLE_KEY: 'k', SHUTDOWN_TIMEOUT_MS: '20' }
    const { events, codes, exit } = await run(
      async ({ shutdown }) => shutdown.add('step', () => new Promise(() => {})),
      env,
    )
    events.emit('SIGTERM', 'SIGTERM')
    await exit()
    expect(codes).toEqual([1])
  })

  it('exits at once on a second signal', async () => {
    const { events, codes } = await run(async ({ shutdown }) => shutdown.add('step', () => new Promise(() => {})))
    events.emit('SIGINT', 'SIGINT')
    expect(codes).toEqual([])
    events.emit('SIGINT', 'SIGINT')
    expect(codes).toEqual([1])
  })

  it.each([
    ['uncaughtException', 'uncaught exception'],
    ['unhandledRejection', 'unhandled rejection'],
  ])('stops and exits with 1 after an %s', async (event, message) => {
    const stop = vi.fn()
    const { events, codes, messages, exit } = await run(async ({ shutdown }) => shutdown.add('step', stop))
    events.emit(event, new Error('nobody cared'))
    await exit()
    expect(stop).toHaveBeenCalledOnce()
    expect(codes).toEqual([1])
    expect(messages()).toContain(message)
  })

  it('exits with 1 when a failure nobody handled comes while it stops for a signal', async () => {
    let release = () => {}
    const { events, codes, exit } = await run(async ({ shutdown }) =>
      shutdown.add('step', () => new Promise<void>((resolve) => (release = resolve))),
    )
    events.emit('SIGTERM', 'SIGTERM')
    await new Promise(setImmediate)
    events.emit('unhandledRejection', new Error('nobody cared'))
    expect(codes).toEqual([])
    release()
    await exit()
    expect(codes).toEqual([1])
  })

  it('stops what was started when the start fails half-way', async () => {
    const stop = vi.fn()
    const { codes, messages, exit } = await run(async ({ shutdown }) => {
      shutdown.add('step', stop)
      throw new Error('no engine')
    })
    await exit()
    expect(stop).toHaveBeenCalledOnce()
    expect(codes).toEqual([1])
    expect(messages()).toContain('service failed to start')
  })

  it('ends by a signal during a start that never ends, and does not call that a failure', async () => {
    let fail = (_: Error) => {}
    const { events, codes, messages, exit, started } = await run(async ({ shutdown }) => {
      await new Promise((_, reject) => {
        fail = reject
        shutdown.add('step', () => fail(new Error('connection closed')))
      })
    })
    events.emit('SIGTERM', 'SIGTERM')
    await exit()
    await started
    expect(codes).toEqual([0])
    expect(messages()).toContain('start interrupted')
  })
})

describe('a process made with runService', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  const example = fileURLToPath(new URL('./testing/example-service.ts', import.meta.url))
  const spawnExample = (mode: string, env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, ['--import=tsx', example, mode], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const exited = once(child, 'exit').then(([code]) => code as number | null)
    const said = (text: string) => vi.waitUntil(() => output.includes(text), { timeout: 10_000 })
    return { child, exited, said, output: () => output }
  }

  it('ends with 0 on SIGTERM', async () => {
    const { child, exited, said } = spawnExample('')
    await said('service started')
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    await said('service ended')
  })

  it('ends with 1, in time, when a step hangs', async () => {
    const { child, exited, said } = spawnExample('hangs-on-stop', { SHUTDOWN_TIMEOUT_MS: '50' })
    await said('service started')
    child.kill('SIGTERM')
    expect(await exited).toBe(1)
    await said('timed-out')
  })

  it('ends with 1 after a rejection nobody handled', async () => {
    const { exited, said } = spawnExample('rejects-later')
    expect(await exited).toBe(1)
    await said('nobody cared')
  })

  it('ends with 78 and says why when its configuration is wrong', async () => {
    const { exited, said } = spawnExample('', { LOG_LEVEL: 'loud', OPERATIONS_PORT: 'none' })
    expect(await exited).toBe(78)
    await said('OPERATIONS_PORT is "none"')
  })
})

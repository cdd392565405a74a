import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { allEngines } from './engines/all-engines.ts'
import { startIsolatedStack } from './isolated-stack.ts'
import { findEngineUser } from './processes/engine-user.ts'
import { isAlive, type ProcessIdentity } from './processes/process-identity.ts'
import { runFromSource } from './run-from-source.ts'
import { openStack } from './stack.ts'
import { stackPaths } from './stack-paths.ts'

const stackCli = 'packages/local-stack/src/main.ts'
let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dropbell-clean-up-'))
  await chmod(home, 0o755) // for the engines' unprivileged user
})
afterEach(() => rm(home, { recursive: true, force: true }))

const processesIn = async (stackHome: string): Promise<ProcessIdentity[]> => {
  const records = JSON.parse(await readFile(join(stackHome, 'stack.json'), 'utf8')) as Record<
    string,
    { process?: ProcessIdentity }
  >
  return Object.values(records).flatMap(({ process }) => process ?? [])
}

const seconds = (count: number) => ({ timeout: count * 1000, interval: 50 })

describe('a stack', () => {
  it('moves to a free port, and says so, when a port is taken; down and up keep the data', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))
    const { port } = squatter.address() as { port: number }
    const [redis] = allEngines.filter(({ name }) => name === 'redis')
    if (!redis) throw new Error('there is no Redis')
    const engines = [{ ...redis, ports: { main: port } }]
    const { cache } = stackPaths(process.env, process.cwd())
    const stack = await openStack({ home, cache, user: findEngineUser(process.env), engines })
    try {
      await stack.up()
      expect(stack.env().REDIS_URL).not.toContain(String(port))
      await stack.down()
      expect(existsSync(join(home, 'redis', 'appendonly.aof'))).toBe(true)
      await stack.up()
    } finally {
      squatter.close()
      await stack.reset()
    }
    expect(existsSync(home)).toBe(false)
  })

  it('is the same stack to whoever opened it earlier: engines start once, and all of them end', async () => {
    const { cache } = stackPaths(process.env, process.cwd())
    const options = { home, cache, user: findEngineUser(process.env), ports: 'free' as const }
    const engines = allEngines.filter(({ name }) => name === 'redis')
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => openStack({ ...options, engines })))
    const started = await Promise.all([first?.up(), second?.up()])
    expect(started.flatMap((each) => each?.started)).toEqual(['redis'])
    const [redis] = await processesIn(home)
    expect(await third?.down()).toEqual(['Redis'])
    expect(redis && isAlive(redis)).toBe(false)
  })

  it('replaces a damaged copy in the cache and starts', async () => {
    const cache = join(home, 'cache')
    await (await startIsolatedStack({ engines: ['postgres'], cache })).reset()
    const [installation] = await readdir(cache)
    const binary = join(cache, installation as string, 'bin', 'postgres')
    await writeFile(binary, 'not a program')
    const details: string[] = []
    const stack = await startIsolatedStack({
      engines: ['postgres'],
      cache,
      onProgress: ({ detail }) => details.push(detail),
    })
    await stack.reset()
    expect(details.join()).toContain('bin/postgres has changed')
  })

  it('leaves no process and no data behind when the process that owns it is killed', async () => {
    const script = join(home, 'owner.mts')
    const library = new URL('./isolated-stack.ts', import.meta.url).href
    await writeFile(
      script,
      `import { startIsolatedStack } from '${library}'
       const stack = await startIsolatedStack({ engines: ['redis', 'postgres'] })
       console.log(JSON.stringify(stack.runners.map((runner) => [runner.logFile, runner.record().process])))
       setInterval(() => {}, 1000)`,
    )
    const { child, result } = runFromSource(script)
    const printed = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (chunk) => resolve(String(chunk))),
    )
    const engines = JSON.parse(printed) as Array<[string, ProcessIdentity]>
    expect(engines.every(([, identity]) => isAlive(identity))).toBe(true)
    child.kill('SIGKILL')
    await result
    await vi.waitFor(() => {
      for (const [logFile, identity] of engines) {
        expect(isAlive(identity)).toBe(false)
        expect(existsSync(logFile)).toBe(false)
      }
    }, seconds(15))
  })

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves no process behind when `stack up` gets %s half-way',
    async (signal) => {
      const { child, result } = runFromSource(stackCli, ['up'], { DROPBELL_STACK_DIR: home })
      const started = await vi.waitFor(async () => {
        const processes = await processesIn(home)
        expect(processes.length).toBeGreaterThanOrEqual(2)
        return processes
      }, seconds(30))
      child.kill(signal)
      const { code } = await result
      expect(code).not.toBe(0)
      const all = [...started, ...(await processesIn(home))]
      await vi.waitFor(() => expect(all.filter(isAlive)).toEqual([]), seconds(15))
    },
  )
})

describe('the stack command', () => {
  it('brings the stack up, tells where it is, and takes down exactly that', async () => {
    const run = (...args: string[]) => runFromSource(stackCli, args, { DROPBELL_STACK_DIR: home }).result
    const before = await run('env')
    expect(before).toMatchObject({ code: 1, stderr: expect.stringContaining('npx pnpm stack up') })

    expect(await run('up')).toMatchObject({ code: 0 })
    const processes = await processesIn(home)
    expect(processes.length).toBe(allEngines.length)
    const { stdout: exports } = await run('env')
    expect(exports).toMatch(/^export KAFKA_BROKERS='127\.0\.0\.1:\d+'$/m)
    const { stdout: status, code } = await run('status', '--json')
    expect(JSON.parse(status)).toEqual(
      allEngines.map(({ name }) => expect.objectContaining({ engine: name, state: 'ready' })),
    )
    expect(code).toBe(0)
    expect((await run('logs', 'redis')).stdout).toContain('Ready to accept connections')

    expect((await run('down')).stdout).toContain('Ended: Kafka')
    expect(processes.filter(isAlive)).toEqual([])
    expect(existsSync(join(home, 'kafka', 'data'))).toBe(true)
    await run('reset')
    expect(existsSync(home)).toBe(false)
  })

  it('says what to install when Java is missing', async () => {
    const env = { DROPBELL_STACK_DIR: home, JAVA_HOME: join(home, 'no-java') }
    const { code, stderr } = await runFromSource(stackCli, ['up'], env).result
    expect(code).toBe(1)
    expect(stderr).toContain('Install Java 17 or newer and Maven')
    expect((await processesIn(home)).filter(isAlive)).toEqual([])
  })
})

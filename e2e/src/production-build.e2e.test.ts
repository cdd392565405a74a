import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const services = ['inventory-consumer', 'push-sender', 'history-indexer', 'recommendation-scheduler']
const parts = ['cli', ...services]

let directory: string
let stack: Stack

/** What the Dockerfile does, without Docker. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dropbell-image-'))
  await run('npx', ['pnpm', 'run', 'build'])
  for (const part of parts) {
    await run('npx', ['pnpm', `--filter=@dropbell/${part}`, 'deploy', '--prod', '--legacy', join(directory, part)])
  }
  stack = await startIsolatedStack()
})
afterAll(async () => {
  await stack?.reset()
  await rm(directory, { recursive: true, force: true })
})

const inImage = (part: string) => ({
  cwd: join(directory, part),
  env: { PATH: process.env.PATH, OPERATIONS_PORT: '0', ...stack.env() },
})

const dropbell = (...args: string[]) => run(process.execPath, ['dist/main.js', ...args], inImage('cli'))

describe('the images', () => {
  it('prepare the engines, as the init job of the Compose file does, and again without change', async () => {
    for (const step of ['topics apply', 'schemas register', 'db migrate', 'indices apply']) {
      await dropbell(...step.split(' '))
      await dropbell(...step.split(' '))
    }
    const topics = JSON.parse((await dropbell('topics', 'apply', '--json')).stdout) as { topics: { state: string }[] }
    expect(topics.topics).toHaveLength(11)
    expect(new Set(topics.topics.map(({ state }) => state))).toEqual(new Set(['in-place']))
    expect((await dropbell('schemas', 'list', '--json')).stdout).toContain('product.inventory.v1-value')
    await dropbell('schemas', 'check')
  })

  it.each(services)('run the %s, which starts and stops in good order', async (part) => {
    const service = spawn(process.execPath, ['dist/main.js'], { ...inImage(part), stdio: 'pipe' })
    const messages: unknown[] = []
    for await (const line of createInterface({ input: service.stdout })) {
      const { msg } = JSON.parse(line) as { msg: string }
      messages.push(msg)
      if (msg === 'service started') service.kill('SIGTERM')
    }
    if (service.exitCode === null) await once(service, 'exit')
    expect(messages).toContain('service started')
    expect(service.exitCode).toBe(0)
  })
})

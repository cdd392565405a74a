import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)

let directory: string
let stack: Stack

/** What the Dockerfile does, without Docker. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dropbell-image-'))
  await run('npx', ['pnpm', 'run', 'build', '--filter=@dropbell/cli'])
  await run('npx', ['pnpm', '--filter=@dropbell/cli', 'deploy', '--prod', '--legacy', directory])
  stack = await startIsolatedStack({ engines: ['kafka', 'schema-registry'] })
})
afterAll(async () => {
  await stack?.reset()
  await rm(directory, { recursive: true, force: true })
})

const dropbell = (...args: string[]) =>
  run(process.execPath, ['dist/main.js', ...args], { cwd: directory, env: { PATH: process.env.PATH, ...stack.env() } })

describe('the image of the command line', () => {
  it('creates topics and registers schemas, as the init job of the Compose file does, and again without change', async () => {
    await dropbell('topics', 'apply')
    await dropbell('schemas', 'register')
    const topics = JSON.parse((await dropbell('topics', 'apply', '--json')).stdout) as { topics: { state: string }[] }
    expect(topics.topics).toHaveLength(10)
    expect(new Set(topics.topics.map(({ state }) => state))).toEqual(new Set(['in-place']))
    const { stdout } = await dropbell('schemas', 'list', '--json')
    expect(stdout).toContain('product.inventory.v1-value')
    await dropbell('schemas', 'check')
  })
})

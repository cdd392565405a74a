import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { testEnv } from '../testing/test-env.ts'
import { freshTopic } from './testing/registry-under-test.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

const run = (env: Record<string, string>) => {
  const child = spawn(process.execPath, ['--conditions=source', '--import=tsx', MAIN], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'close').then(([code]) => code as number | null)
  return { child, exit, stderr: collect(child) }
}

const collect = (child: ChildProcess) => {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

test('serves, and stops cleanly on SIGTERM', async () => {
  const { child, exit, stderr } = run({
    KAFKA_BROKERS: testEnv().KAFKA_BROKERS,
    SCHEMA_REGISTRY_PORT: '0',
    SCHEMA_REGISTRY_TOPIC: freshTopic(),
  })
  const ready = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), exit])
  const url = /ready at (http:\/\/127\.0\.0\.1:\d+)/.exec(String(ready))?.[1]
  expect(url, stderr()).toBeDefined()
  expect((await fetch(`${url}/schemas/types`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})

test('says why it cannot start, and fails', async () => {
  const noBroker = run({ KAFKA_BROKERS: '127.0.0.1:1', SCHEMA_REGISTRY_PORT: '0' })
  const noPort = run({ KAFKA_BROKERS: '127.0.0.1:1' })
  expect([await noBroker.exit, await noPort.exit]).toEqual([1, 1])
  expect(noBroker.stderr()).toMatch(/cannot start .* with Kafka at 127\.0\.0\.1:1: .*ECONNREFUSED/)
  expect(noPort.stderr()).toMatch(/SCHEMA_REGISTRY_PORT is not set/)
})

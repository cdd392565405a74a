import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { closedPort, startSilentPeer } from '@dropbell/shared/testing/tcp-peer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runDropbell } from './testing/cli-process.ts'

const hasNoStack = (text: string): void => expect(text).not.toMatch(/^\s+at /m)

describe('Kafka that does not answer', () => {
  it('ends with 3 and says where it was looked for and how to start it', async () => {
    const brokers = `127.0.0.1:${await closedPort()}`
    const { code, stdout, stderr } = await runDropbell(['topics', 'apply', '--brokers', brokers]).result
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toContain(`Kafka is not reachable at ${brokers}`)
    expect(stderr).toContain('npx pnpm stack up')
    hasNoStack(stderr)
  }, 15_000)

  it('ends with 3 in time also when it is frozen', async () => {
    const peer = await startSilentPeer()
    onTestFinished(() => peer.close())
    const { code, stderr } = await runDropbell(['topics', 'list'], { KAFKA_BROKERS: `127.0.0.1:${peer.port}` }).result
    expect(code).toBe(3)
    expect(stderr).toContain('no answer within')
    hasNoStack(stderr)
  }, 15_000)

  it('shows where with --debug', async () => {
    const brokers = `127.0.0.1:${await closedPort()}`
    const { code, stderr } = await runDropbell(['topics', 'list', '--debug', '--brokers', brokers]).result
    expect(code).toBe(3)
    expect(stderr).toMatch(/^\s+at /m)
  })
})

it.each(['check', 'register', 'list'])('schemas %s ends with 3 when the registry does not answer', async (command) => {
  const registry = `http://127.0.0.1:${await closedPort()}`
  const { code, stdout, stderr } = await runDropbell(['schemas', command, '--registry', registry, '--json']).result
  expect(code).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain(registry)
  expect(stderr).toContain('--registry or SCHEMA_REGISTRY_URL')
  hasNoStack(stderr)
})

it('ends with 2 on an unknown option', async () => {
  const { code, stderr } = await runDropbell(['topics', 'list', '--colour']).result
  expect(code).toBe(2)
  expect(stderr).toContain("unknown option '--colour'")
})

it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 soon after %s', async (signal) => {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { child, result } = runDropbell(['topics', 'list', '--brokers', `127.0.0.1:${port}`])
  await once(server, 'connection')
  child.kill(signal)
  const killedAt = performance.now()
  const { code, stdout, stderr } = await result
  expect(code).toBe(130)
  expect(stdout).toBe('')
  expect(stderr).toBe('Interrupted.\n')
  // Less than the client would wait for the connection it was making.
  expect(performance.now() - killedAt).toBeLessThan(4_000)
})

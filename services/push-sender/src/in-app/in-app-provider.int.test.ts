import { randomUUID } from 'node:crypto'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Outgoing } from '../provider.ts'
import { describeProviderWithPeer } from '../testing/provider-contract.ts'
import { type OutgoingChanges, sampleOutgoing } from '../testing/sample-outgoing.ts'
import { type OpenInApp, type OpenInAppOptions, openInApp } from './testing/open-in-app.ts'

/** Its own, since it is frozen. */
let stack: Stack
beforeAll(async () => {
  stack = await startIsolatedStack({ engines: ['kafka', 'schema-registry'] })
})
afterAll(() => stack.reset())

const inTime = { deadlineMs: 5_000 }

const toNewUser = (notification: OutgoingChanges['notification'] = {}): Outgoing => {
  const userId = `user-${randomUUID()}`
  return sampleOutgoing({ notification: { ...notification, userId }, target: { address: userId } })
}

describeProviderWithPeer('IN_APP', async () => {
  const { provider, publishes, read, close } = await openInApp({ stackEnv: stack.env() })
  await provider.send([toNewUser()], inTime) // connected
  const before = publishes()
  let seen: ReturnType<typeof read> | undefined
  return {
    provider,
    newOutgoing: () => toNewUser(),
    receivedBy: async (userId) => {
      seen ??= read().finally(() => {
        seen = undefined
      })
      return (await seen).filter(({ key }) => key === userId).length
    },
    silence: async () => stack.engine('kafka').freeze(),
    allUnderWay: () => publishes() > before,
    close: async () => {
      stack.engine('kafka').thaw()
      await close()
    },
  }
})

describe('notifications to the app', () => {
  const opened: OpenInApp[] = []
  const open = async (options: Partial<OpenInAppOptions> = {}): Promise<OpenInApp> => {
    const inApp = await openInApp({ stackEnv: stack.env(), ...options })
    opened.push(inApp)
    return inApp
  }
  afterEach(async () => {
    stack.engine('kafka').thaw()
    for (const inApp of opened.splice(0)) await inApp.close()
  })

  it('are published at once, by user, as they are', async () => {
    const { provider, publishes, read } = await open()
    const batch = Array.from({ length: 500 }, () => toNewUser())
    const results = await provider.send(batch, inTime)
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
    expect(publishes()).toBe(1)
    const found = await read()
    expect(found).toHaveLength(500)
    const { notification } = batch[0] as Outgoing
    const first = found.find(({ key }) => key === notification.userId)
    expect(first?.notification).toEqual(notification)
    expect(Object.entries(first?.headers ?? {}).map(([name, value]) => [name, String(value)])).toEqual([
      ['dropbell-event-id', notification.eventId],
      ['dropbell-event-timestamp', String(notification.eventTimestamp)],
    ])
  })

  it('that are too large are refused by themselves', async () => {
    const { provider, read } = await open({ maxMessageBytes: 100_000 })
    const large = toNewUser({ body: 'x'.repeat(200_000) })
    const rather = toNewUser({ body: 'x'.repeat(80_000) })
    const results = await provider.send([toNewUser(), large, rather, toNewUser()], inTime)
    expect(results).toMatchObject([
      { kind: 'accepted' },
      { kind: 'refused', code: 'RECORD_TOO_LARGE', retryable: false },
      { kind: 'accepted' },
      { kind: 'accepted' },
    ])
    expect(await read()).toHaveLength(3)
  })

  it('that do not fit their schema are refused by themselves', async () => {
    const { provider, read } = await open()
    const misfit = toNewUser({ timestamp: 'now' as unknown as number })
    const results = await provider.send([toNewUser(), misfit], inTime)
    expect(results).toMatchObject([
      { kind: 'accepted' },
      { kind: 'refused', code: 'VALUE_DOES_NOT_FIT', retryable: false },
    ])
    expect(await read()).toHaveLength(1)
  })

  it('wait while Kafka does not answer, and go on by themselves', async () => {
    const { provider, publishes, read } = await open({ env: { IN_APP_BREAKER_RESET_MS: '100' } })
    await provider.send([toNewUser()], inTime)
    stack.engine('kafka').freeze()
    expect(await provider.send([toNewUser(), toNewUser()], { deadlineMs: 300 })).toMatchObject([
      { kind: 'unknown', code: 'DEADLINE_EXCEEDED' },
      { kind: 'unknown', code: 'DEADLINE_EXCEEDED' },
    ])
    expect(await provider.reserve(5, 'promotional')).toMatchObject({ granted: 0 })
    await vi.waitUntil(async () => (await provider.reserve(1, 'promotional')).granted === 1, { timeout: 5_000 })
    // The breaker would try again, but what was given up is still under way.
    expect(await provider.send([toNewUser()], inTime)).toMatchObject([{ kind: 'held-back', code: 'PUBLISH_UNDER_WAY' }])
    expect(publishes()).toBe(2)
    stack.engine('kafka').thaw()
    const after = toNewUser()
    await vi.waitFor(async () => expect(await provider.send([after], inTime)).toMatchObject([{ kind: 'accepted' }]), {
      timeout: 20_000,
      interval: 200,
    })
    const received = (await read()).map(({ key }) => key)
    expect(received.filter((key) => key === after.notification.userId)).toHaveLength(1)
    expect(received).toHaveLength(4)
  })
})

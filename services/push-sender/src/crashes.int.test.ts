import { randomUUID } from 'node:crypto'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Failpoint, FailpointName, WorkOrigin } from './failpoint.ts'
import type { TrafficKind } from './provider.ts'
import { createSenderWorld, type Lane, notificationFor, type SenderWorld } from './testing/sender-world.ts'

vi.setConfig({ testTimeout: 120_000, maxConcurrency: 6 })

let world: SenderWorld
beforeAll(async () => {
  world = await createSenderWorld()
})
afterAll(() => world?.close())

interface Scene {
  lane: Lane
  promotional: NotificationEvent[]
  transactional: NotificationEvent[]
}

const openScene = async (): Promise<Scene> => {
  const lane = await world.openLane()
  const promotional = await lane.prepare(6, { channels: ['PUSH', 'IN_APP'] })
  const transactional = await lane.prepare(3, { notificationType: 'TRANSACTIONAL' })
  return { lane, promotional, transactional }
}

const all = ({ promotional, transactional }: Scene) => [...promotional, ...transactional]

const refuseFirstAttempts = async ({ lane, ...scene }: Scene): Promise<void> => {
  for (const { userId } of all({ lane, ...scene })) {
    await lane.fcm.script({ do: 'refuse', code: 'UNAVAILABLE', times: 1 }, `token-${userId}`)
  }
}

interface Crash {
  name: FailpointName
  origin: WorkOrigin
  kind: TrafficKind
  /** How often each promotional device has it in the end, and with which status. */
  received: 0 | 1
  status: string
}

const crashes: Crash[] = [
  { name: 'after-claim', origin: 'record', kind: 'promotional', received: 1, status: 'SENT' },
  { name: 'after-attempt', origin: 'record', kind: 'promotional', received: 0, status: 'FAILED' },
  { name: 'after-accept', origin: 'record', kind: 'promotional', received: 1, status: 'FAILED' },
  { name: 'after-settle', origin: 'record', kind: 'promotional', received: 1, status: 'SENT' },
  { name: 'before-offset', origin: 'record', kind: 'promotional', received: 1, status: 'SENT' },
  { name: 'after-attempt', origin: 'record', kind: 'transactional', received: 1, status: 'SENT' },
  { name: 'after-accept', origin: 'record', kind: 'transactional', received: 1, status: 'SENT' },
  { name: 'after-attempt', origin: 'poll', kind: 'promotional', received: 0, status: 'FAILED' },
  { name: 'after-accept', origin: 'poll', kind: 'promotional', received: 1, status: 'FAILED' },
  { name: 'after-settle', origin: 'poll', kind: 'promotional', received: 1, status: 'SENT' },
]

describe('an instance that dies', () => {
  it.concurrent.each(crashes.map((crash) => [`${crash.name} (${crash.kind}, ${crash.origin})`, crash] as const))(
    '%s leaves nothing open and nobody told twice',
    async (_, { received, status, ...at }) => {
      const scene = await openScene()
      const { lane, promotional, transactional } = scene
      if (at.origin === 'poll') await refuseFirstAttempts(scene)
      const victim = await lane.start({ ...at, signal: 'SIGKILL' })
      await lane.publish(all(scene), 0)
      expect(await victim.ended).toBe('SIGKILL')
      await lane.startHere()
      const outcomes = await lane.untilSettled(all(scene))

      const counts = await lane.receivedBy(promotional)
      const endings = promotional.map((_, index) => `${counts[index]} received, ${outcomes[index]?.status}`)
      const ofVictim = `${received} received, ${status}`
      if (at.origin === 'record') expect(endings).toEqual(promotional.map(() => ofVictim))
      else {
        // A round of the poller takes what is due by then; the rest was not in the victim's hands.
        expect(endings).toContain(ofVictim)
        expect(endings.filter((ending) => ending !== ofVictim && ending !== '1 received, SENT')).toEqual([])
      }
      expect(promotional.filter((notification) => lane.inAppOf(notification) > 1)).toEqual([])
      expect(Math.min(...(await lane.receivedBy(transactional)))).toBeGreaterThanOrEqual(1)
      expect(outcomes.slice(promotional.length).map((outcome) => outcome.status)).toEqual(
        transactional.map(() => 'SENT'),
      )
      await lane.stop()
    },
  )

  it.concurrent('in mid-call leaves an unknown outcome, and promotional devices with one message', async () => {
    const scene = await openScene()
    const { lane, promotional, transactional } = scene
    for (const { userId } of promotional) {
      await lane.fcm.script({ do: 'accept', latencyMs: 60_000 }, `token-${userId}`)
    }
    const victim = await lane.start()
    await lane.publish(all(scene), 0)
    await vi.waitFor(async () => expect(await lane.receivedBy(promotional)).toEqual(promotional.map(() => 1)), {
      timeout: 20_000,
      interval: 20,
    })
    await victim.kill()
    await lane.startHere()
    const outcomes = await lane.untilSettled(all(scene))
    expect(await lane.receivedBy(all(scene))).toEqual(all(scene).map(() => 1))
    expect(outcomes.map(({ reason }) => reason)).toEqual([
      ...promotional.map(() => 'UNKNOWN_OUTCOME'),
      ...transactional.map(() => null),
    ])
    await lane.stop()
  })
})

describe('an instance that dies with nothing to send', () => {
  it.concurrent('leaves outcomes that another one publishes', async () => {
    const lane = await world.openLane()
    const expired = await lane.prepare(2, { expiresAt: Date.now() - 1 })
    const unreachable = notificationFor(`user-${randomUUID()}`)
    const victim = await lane.start({ name: 'after-claim', origin: 'record', kind: 'nothing', signal: 'SIGKILL' })
    await lane.publish([...expired, unreachable], 0)
    expect(await victim.ended).toBe('SIGKILL')
    expect([...expired, unreachable].flatMap(lane.outcomesOf)).toEqual([])
    await lane.startHere()
    const outcomes = await lane.untilSettled([...expired, unreachable])
    expect(outcomes.map(({ reason }) => reason)).toEqual(['EXPIRED', 'EXPIRED', 'NO_DEVICE'])
    await lane.stop()
  })
})

describe('an instance that stands still until its lease is over', () => {
  it.concurrent.each([
    ['after-claim', { received: 1, status: 'SENT' }],
    ['after-attempt', { received: 0, status: 'FAILED' }],
    ['after-accept', { received: 1, status: 'FAILED' }],
  ] as const)('%s sends nothing and settles nothing when it goes on', async (name, { received, status }) => {
    const scene = await openScene()
    const { lane, promotional } = scene
    const sleeper = await lane.start({ name, origin: 'record', kind: 'promotional', signal: 'SIGSTOP' })
    await lane.publish(all(scene), 0)
    await vi.waitFor(async () => expect(await sleeper.isStopped()).toBe(true), { timeout: 20_000, interval: 50 })
    await lane.startHere()
    await lane.untilSettled(all(scene))
    const rows = await lane.rowsOf(all(scene))
    sleeper.signal('SIGCONT')
    // It has gone on as far as it could once its records are settled, or its group has told it to begin anew.
    await vi.waitFor(() => expect(sleeper.lines().some(({ msg }) => /^batch /.test(String(msg)))).toBe(true), {
      timeout: 20_000,
      interval: 50,
    })
    expect(await lane.receivedBy(promotional)).toEqual(promotional.map(() => received))
    expect(await lane.rowsOf(all(scene))).toEqual(rows)
    const outcomes = await lane.untilSettled(promotional)
    expect(outcomes.map((outcome) => outcome.status)).toEqual(promotional.map(() => status))
    await lane.stop()
  })
})

describe('an instance that is slow until its claim is nearly over', () => {
  it.concurrent('gives back what began with the claim, so that the rest has all of its time', async () => {
    const lane = await world.openLane()
    const notifications = await lane.prepare(3, { channels: ['PUSH', 'IN_APP'] })
    for (const { userId } of notifications) {
      await lane.fcm.script({ do: 'accept', latencyMs: 2_500 }, `token-${userId}`)
    }
    const leftOfClaim = async (): Promise<number> => {
      const ends = (await lane.rowsOf(notifications)).map(({ lease_until }) => Number(lease_until))
      return Math.min(...ends) - Date.now()
    }
    const failpoint: Failpoint = async (name, origin) => {
      if (name !== 'after-claim' || origin !== 'record') return
      await vi.waitUntil(async () => (await leftOfClaim()) < 2_000, { timeout: 10_000, interval: 50 })
    }
    await lane.startHere({}, { failpoint })
    await lane.publish(notifications, 0)
    const outcomes = await lane.untilSettled(notifications)
    expect(outcomes.map(({ status, reason }) => [status, reason])).toEqual(notifications.map(() => ['SENT', null]))
    expect(await lane.receivedBy(notifications)).toEqual([1, 1, 1])
    expect(notifications.map(lane.inAppOf)).toEqual([1, 1, 1])
    expect((await lane.rowsOf(notifications)).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1])
    await lane.stop()
  })
})

import { randomUUID } from 'node:crypto'
import { claimPlans } from '@dropbell/database/ledger/claim-plans'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSchedulerWorld, day, idsByUser, type Lane, type SchedulerWorld } from './testing/scheduler-world.ts'

vi.setConfig({ testTimeout: 120_000 })

let world: SchedulerWorld
let lane: Lane
beforeAll(async () => {
  world = await createSchedulerWorld()
})
afterEach(() => lane?.stop())
afterAll(() => world?.close())

const soon = { timeout: 30_000, interval: 20 }

const toldByHolder = 20
/** Three parts of ten: one that is to be published next, and two that are prepared meanwhile. */
const inHand = 30
/** Long enough for a test to stop the holder before, and over before the run of the heir is. */
const lateMs = 6_000

/**
 * A holder in a process of its own that has told 20 of 80 users, and waits for what to say to the next ones: for ever, or
 * until a while later.
 */
const startHolder = async (env: Record<string, string> = {}, { answersLate = false } = {}) => {
  lane = await world.openLane({
    RECOMMENDATION_API_TIMEOUT_MS: '60000',
    RECOMMENDATION_HEARTBEAT_TIMEOUT_MS: '2000',
    ...env,
  })
  const users = await lane.addUsers(0, 80)
  await lane.answerOnly(users.slice(0, toldByHolder))
  const next = users.slice(toldByHolder, toldByHolder + inHand)
  if (answersLate)
    for (const userId of next) await lane.api.script({ do: 'recommend', latencyMs: lateMs, times: 1 }, userId)
  const holder = await lane.start()
  // With a schedule it begins by itself, and has the lock a moment before it has the run.
  await vi.waitFor(async () => expect((await lane.trigger(holder)).body.result).toMatch(/^(started|under-way)$/), soon)
  await lane.untilUsers(toldByHolder)
  await vi.waitFor(async () => expect(Object.keys(await lane.api.users())).toEqual(expect.arrayContaining(next)), soon)
  return { holder, users }
}

const expectEverybodyOnce = async (users: readonly string[]): Promise<void> => {
  await vi.waitFor(() => expect(idsByUser(lane.told()).size).toBe(users.length), soon)
  const ids = idsByUser(lane.told())
  expect([...ids.keys()].sort()).toEqual(users)
  expect([...ids.values()].every((set) => set.size === 1)).toBe(true)
  expect(await entriesInLedger(lane.told())).toEqual(users.map((userId) => ({ userId, deliveries: 1 })))
}

/** What the ledger makes of all that was published, however often: it has the last word on who is told. */
const entriesInLedger = async (told: readonly NotificationEvent[]) => {
  for (const notification of told) {
    const { notificationType: type, timestamp: composedAt, expiresAt, ...content } = notification
    const target = { channel: 'IN_APP', targetId: 'inbox', kind: 'send' } as const
    const plan = {
      ...content,
      type,
      composedAt,
      expiresAt: expiresAt ?? 0,
      traceparent: '',
      timezone: 'Asia/Seoul',
      refusal: null,
    }
    const lease = { leaseToken: randomUUID(), leaseMs: 1_000, now: Date.now() }
    await claimPlans(lane.pool, [{ ...plan, deliveries: [target] }], lease)
  }
  const { rows } = await lane.pool.query(
    `SELECT n.user_id AS "userId", count(*)::int AS deliveries
     FROM notifications n JOIN deliveries USING (notification_id) GROUP BY 1 ORDER BY n.user_id COLLATE "C"`,
  )
  return rows
}

describe('a holder that is killed half-way', () => {
  it('leaves the run to whoever takes it over, once its heartbeat is old, and each user is told once', async () => {
    const { holder, users } = await startHolder()
    await holder.kill()
    await lane.answerAll()
    const heir = await lane.startHere()
    expect((await lane.trigger(heir)).body.result).toBe('under-way')
    await vi.waitFor(
      async () => expect((await lane.trigger(heir, { takeOver: true })).body.result).toBe('started'),
      soon,
    )
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', fence: 2, users: 80, sent: 80 })
    await expectEverybodyOnce(users)
  })

  it('leaves the run to any instance when its lock ends', async () => {
    const { holder, users } = await startHolder({
      ...{ RECOMMENDATION_LOCK_AT_MOST_MS: '3000', RECOMMENDATION_CATCH_UP_UNTIL: '23:00' },
    })
    await holder.kill()
    await lane.answerAll()
    await lane.startHere()
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', fence: 2, users: 80, sent: 80 })
    await expectEverybodyOnce(users)
  })
})

describe('a holder that stands still past its lock', () => {
  it.each([
    ['another instance has gone on with', { RECOMMENDATION_LOCK_AT_MOST_MS: '3000' }, false],
    ['somebody has taken over', {}, true],
  ])('and whose run %s publishes nothing more after its current page when it wakes up', async (_, env, takeOver) => {
    const { holder, users } = await startHolder(env, { answersLate: true })
    holder.signal('SIGSTOP')
    await vi.waitFor(async () => expect(await holder.isStopped()).toBe(true), soon)
    await lane.answerAll()
    const heir = await lane.startHere()
    await vi.waitFor(async () => expect((await lane.trigger(heir, { takeOver })).body.result).toBe('started'), soon)
    const ended = await lane.untilEnded(day)
    expect(ended).toMatchObject({ status: 'DONE', fence: 2, users: 80, sent: 80 })
    await expectEverybodyOnce(users)
    // What the holder waits for comes while it stands still: it wakes up with parts that could be published at once.
    await vi.waitFor(async () => expect((await lane.api.report()).answers[200]).toBe(users.length + inHand), soon)
    await world.untilCollected()
    const toldBefore = lane.told().length

    holder.signal('SIGCONT')
    await vi.waitFor(
      async () => expect(await holder.metrics()).toMatch(/recommendation_runs_total\{[^}]*result="lost"[^}]*\} 1/),
      soon,
    )
    await holder.stop()
    await world.untilCollected()
    // It was about to look at the fence, not between that and the acknowledgement.
    expect(lane.told().length).toBe(toldBefore)
    await expectEverybodyOnce(users)
    expect(await lane.run(day)).toEqual({ ...ended, heartbeat_age_ms: expect.any(Number) })
  })
})

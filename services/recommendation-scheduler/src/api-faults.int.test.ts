import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createSchedulerWorld,
  day,
  idsByUser,
  type Lane,
  metricOf,
  type SchedulerWorld,
} from './testing/scheduler-world.ts'

vi.setConfig({ testTimeout: 60_000 })

let world: SchedulerWorld
let lane: Lane
beforeAll(async () => {
  world = await createSchedulerWorld()
})
afterEach(() => lane?.stop())
afterAll(() => world?.close())

const soon = { timeout: 20_000, interval: 50 }

// Trouble with some users is not to look like an API that is down, except where a test wants it to.
const impatient = {
  RECOMMENDATION_API_BREAKER_FAILURES: '1000',
  RECOMMENDATION_API_BREAKER_RESET_MS: '200',
  RECOMMENDATION_API_PATIENCE_MS: '1000',
}
/** Where the API takes too long: still more than a healthy answer takes on a slow machine. */
const shortTimeout = { RECOMMENDATION_API_TIMEOUT_MS: '1000' }

/** 30 users, of whom every third has trouble; or all have. */
const runWithTrouble = async (
  behaviour: Parameters<Lane['api']['script']>[0] | undefined,
  { env = {}, all = false }: { env?: Record<string, string>; all?: boolean } = {},
) => {
  lane = await world.openLane({ ...impatient, ...env })
  const users = await lane.addUsers(0, 30)
  const troubled = users.filter((_, n) => all || n % 3 === 0)
  if (behaviour) for (const userId of troubled) await lane.api.script(behaviour, userId)
  const instance = await lane.startHere()
  await lane.begin(instance)
  return { instance, users, troubled, first: await lane.untilEnded(day) }
}

const leftOutBy = async (reason: string): Promise<string[]> => {
  const text = 'SELECT user_id FROM recommendation_left_out WHERE reason = $1 ORDER BY user_id'
  return (await lane.pool.query<{ user_id: string }>(text, [reason])).rows.map((row) => row.user_id)
}

describe('when the API has trouble with some users', () => {
  it.each([
    ['is silent', 'timeout', { do: 'silence' as const }],
    ['is too slow', 'timeout', { do: 'recommend' as const, latencyMs: 5_000 }],
    ['fails', 'unavailable', { do: 'answer' as const, status: 503, body: 'down' }],
    ['cuts connections', 'unavailable', { do: 'drop' as const }],
    ['refuses', 'refused', { do: 'answer' as const, status: 404, body: '{}' }],
    ['answers no JSON', 'nonsense', { do: 'answer' as const, status: 200, body: '<html>' }],
    ['answers another schema', 'nonsense', { do: 'answer' as const, status: 200, body: '{"recommendations":"none"}' }],
    ['answers without end', 'nonsense', { do: 'answer' as const, status: 200, body: `"${'x'.repeat(200_000)}"` }],
  ])(
    'and %s, the batch ends without them, says so, and a second run serves just those',
    async (_, reason, behaviour) => {
      const { instance, users, troubled, first } = await runWithTrouble(behaviour, {
        env: reason === 'timeout' ? shortTimeout : {},
      })
      expect(first).toMatchObject({ status: 'DONE', users: 30, sent: 20, left_out: 10 })
      expect(await leftOutBy(reason)).toEqual(troubled)
      const metrics = await instance.metrics()
      expect(metricOf(metrics, 'dropbell_recommendation_left_out_total', `reason="${reason}"`)).toBe(10)
      expect(metricOf(metrics, 'dropbell_recommendation_api_seconds_count', `result="${reason}"`)).toBeGreaterThan(0)

      const asked = await lane.api.users()
      for (const userId of troubled) await lane.api.script({ do: 'recommend' }, userId)
      expect((await lane.trigger(instance)).status).toBe(202)
      expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', users: 30, sent: 30, left_out: 0, fence: 2 })
      await vi.waitFor(() => expect(idsByUser(lane.told()).size).toBe(30), soon)
      expect(
        lane
          .told()
          .map(({ userId }) => userId)
          .sort(),
      ).toEqual(users)
      const askedAgain = await lane.api.users()
      const more = Object.keys(askedAgain).filter((userId) => askedAgain[userId] !== asked[userId])
      expect(more.sort()).toEqual(troubled)
      expect((await lane.trigger(instance)).body.result).toBe('nothing-to-do')
    },
  )

  it('does not believe an answer about somebody else', async () => {
    const body = JSON.stringify({ userId: 'somebody-else', strategy: 's', recommendations: [] })
    const { first } = await runWithTrouble({ do: 'answer', status: 200, body })
    expect(first).toMatchObject({ sent: 20, left_out: 10, nothing: 0 })
  })

  it('asks again about a user when the trouble may pass', async () => {
    const { first } = await runWithTrouble({ do: 'answer', status: 503, body: '', times: 1 })
    expect(first).toMatchObject({ status: 'DONE', sent: 30, left_out: 0 })
  })

  it('leaves out again who has trouble again, and takes no slot of theirs', async () => {
    const { instance, troubled } = await runWithTrouble(
      { do: 'answer', status: 500, body: '' },
      { env: { DAILY_LIMIT_PER_USER: '1' } },
    )
    await lane.begin(instance)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', sent: 20, left_out: 10, fence: 2 })
    for (const userId of troubled) await lane.api.script({ do: 'recommend' }, userId)
    await lane.begin(instance)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', sent: 30, left_out: 0, refused: {} })
  })
})

describe('when the API is down', () => {
  it('the batch ends with everybody left out, without asking for each, and a second run serves them', async () => {
    const { instance, first } = await runWithTrouble(
      { do: 'drop' },
      { all: true, env: { RECOMMENDATION_API_BREAKER_FAILURES: '5', RECOMMENDATION_API_CONCURRENCY: '2' } },
    )
    expect(first).toMatchObject({ status: 'DONE', users: 30, sent: 0, left_out: 30 })
    expect((await lane.api.report()).requests).toBeLessThan(30)
    expect((await leftOutBy('held-back')).length).toBeGreaterThan(15)
    await lane.api.reset()
    await lane.begin(instance)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', sent: 30, left_out: 0 })
  })

  it('for a moment, the batch waits for it and leaves nobody out', async () => {
    lane = await world.openLane({
      ...impatient,
      ...{ RECOMMENDATION_API_BREAKER_FAILURES: '3', RECOMMENDATION_API_PATIENCE_MS: '20000' },
      ...{ RECOMMENDATION_API_RETRIES: '5', RECOMMENDATION_API_CONCURRENCY: '2' },
    })
    await lane.addUsers(0, 30)
    await lane.api.script([
      { do: 'recommend', times: 12 },
      { do: 'answer', status: 503, body: '', times: 5 },
    ])
    const instance = await lane.startHere()
    await lane.begin(instance)
    expect(await lane.untilEnded(day)).toMatchObject({ status: 'DONE', sent: 30, left_out: 0 })
    expect(metricOf(await instance.metrics(), 'dropbell_recommendation_api_breaker_total', 'state="open"')).toBe(1)
  })

  it('at an address where nobody listens, the batch ends too', async () => {
    const { first } = await runWithTrouble(undefined, {
      env: {
        ...{ RECOMMENDATION_API_URL: 'http://127.0.0.1:1', RECOMMENDATION_API_PATIENCE_MS: '0' },
        RECOMMENDATION_API_BREAKER_FAILURES: '20',
      },
    })
    expect(first).toMatchObject({ status: 'DONE', sent: 0, left_out: 30 })
  })
})

describe('the API', () => {
  it('is asked over kept connections, by as many at once as configured', async () => {
    lane = await world.openLane({ RECOMMENDATION_API_CONCURRENCY: '4', RECOMMENDATION_BATCH_SIZE: '20' })
    await lane.addUsers(0, 100)
    await lane.api.script({ do: 'recommend', latencyMs: 5 })
    const instance = await lane.startHere()
    await lane.begin(instance)
    await lane.untilEnded(day)
    const { requests, connections, mostAtOnce } = await lane.api.report()
    expect(requests).toBe(100)
    expect(connections).toBeLessThanOrEqual(4)
    expect(mostAtOnce).toBe(4)
  })

  it('is asked about users with any id', async () => {
    lane = await world.openLane()
    const userId = `${lane.name}-a/b?c=%20#é {}`
    await lane.elasticsearch.index({
      ...{ index: lane.index, refresh: true },
      document: { userId, productId: 'P', actionType: 'VIEW', timestamp: Date.now() },
    })
    const instance = await lane.startHere()
    await lane.begin(instance)
    await lane.untilEnded(day)
    expect(await lane.api.users()).toEqual({ [userId]: 1 })
    await vi.waitFor(() => expect(lane.told().map((told) => told.userId)).toEqual([userId]), soon)
  })
})

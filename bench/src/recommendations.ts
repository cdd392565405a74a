import { createRecommendationControl } from '@dropbell/local-stack/recommendation-simulator/control-client'
import { type ServiceProcess, startServiceProcess } from '@dropbell/local-stack/service-process'
import type { RunReport } from '@dropbell/schemas/recommendation-runs'
import type { Bench, Sample } from './bench.ts'
import { type BenchWorld, numbered, openBenchWorld, waitUntil } from './bench-world.ts'
import { watchMemory } from './watch-memory.ts'

const USERS = 20_000
const MANY_USERS = 200_000
const WARM_UP = 2_000
const LATENCY_MS = 20
const CONCURRENCY = 32
const TOKEN = 'of-the-bench-and-nobody-else'
const BEHAVIORS = 'user_behavior_index'
const ALIAS = 'active_users'
const AUDIENCES = { few: USERS, many: MANY_USERS, 'warm-up': WARM_UP } as const

type Audience = keyof typeof AUDIENCES

const SERVICE = {
  PACING_MAX_LAG: '0',
  RECOMMENDATION_API_CONCURRENCY: String(CONCURRENCY),
  RECOMMENDATION_TRIGGER_TOKEN: TOKEN,
  // Before its time a run counts what users did until now.
  RECOMMENDATION_CRON: '59 59 23 * * *',
  RECOMMENDATION_ZONE: 'UTC',
  USER_BEHAVIOR_INDEX: ALIAS,
  RECOMMENDATION_CATCH_UP_UNTIL: 'off',
  RECOMMENDATION_LOCK_AT_LEAST_MS: '0',
  NODE_OPTIONS: '--max-old-space-size=256',
}

export const recommendationsBench: Bench = {
  name: 'recommendations',
  compares:
    `the daily batch for 20,000 active users against an API that takes ${LATENCY_MS} ms, pacing off, with what ${CONCURRENCY} requests at ` +
    'once could do if nothing else took time; and the memory of 200,000',
  expected: { ideal: { atLeast: 0.8 }, extraMemoryMB: { atMost: 60 } },
  async start(say) {
    const world = await openBenchWorld(say)
    try {
      for (const [audience, users] of Object.entries(AUDIENCES)) {
        say(`indexing ${users.toLocaleString('en')} active users`)
        await world.engines.elasticsearch.client.indices.create({ index: indexOf(audience) })
        await world.indexBehaviors(activeUsers(audience, users), indexOf(audience))
        await world.engines.elasticsearch.client.indices.forcemerge({ index: indexOf(audience) })
      }
      await createRecommendationControl(world.env.RECOMMENDATION_API_URL as string).script({
        do: 'recommend',
        latencyMs: LATENCY_MS,
      })
    } catch (error) {
      await world.close()
      throw error
    }
    return { round: () => measure(world, say), stop: world.close }
  },
}

function* activeUsers(audience: string, users: number) {
  for (let n = 0; n < users; n++) yield { productId: `P-${n % 100}`, userId: numbered(`${audience}-user`, n) }
}

async function measure(world: BenchWorld, say: (text: string) => void): Promise<Sample> {
  say('recommending to 20,000 users')
  const few = await recommend(world, 'few')
  say('recommending to 200,000 users')
  const many = await recommend(world, 'many')
  const idealPerSecond = (CONCURRENCY * 1_000) / LATENCY_MS
  return {
    ratios: { ideal: few.perSecond / idealPerSecond },
    figures: {
      usersPerSecond: few.perSecond,
      idealPerSecond,
      usersPerSecondOfMany: many.perSecond,
      peakMemoryMB: few.peakMemoryMB,
      peakMemoryOfManyMB: many.peakMemoryMB,
      extraMemoryMB: many.peakMemoryMB - few.peakMemoryMB,
    },
  }
}

/** By a new service, on a Redis that knows nobody, that has recommended to others before. */
async function recommend(world: BenchWorld, audience: Audience) {
  await world.engines.redis.client.flushall()
  await choose(world, 'warm-up')
  const service = await startServiceProcess('services/recommendation-scheduler/src/main.ts', {
    ...world.env,
    ...SERVICE,
  })
  try {
    await runAll(world, service, 'warm-up')
    await choose(world, audience)
    const memory = watchMemory(service)
    const startedAt = performance.now()
    await runAll(world, service, audience)
    const seconds = (performance.now() - startedAt) / 1_000
    return { perSecond: AUDIENCES[audience] / seconds, peakMemoryMB: await memory.peakMB() }
  } finally {
    await service.stop()
  }
}

/** Who is active from now on. */
async function choose({ engines }: BenchWorld, audience: Audience): Promise<void> {
  const { indices } = engines.elasticsearch.client
  const remove = { index: `${BEHAVIORS}-*`, alias: ALIAS, must_exist: false }
  await indices.updateAliases({ actions: [{ remove }, { add: { index: indexOf(audience), alias: ALIAS } }] })
}

const indexOf = (audience: string): string => `${BEHAVIORS}-${audience}`

/** One run by hand; nobody remembers those before. */
async function runAll({ engines }: BenchWorld, service: ServiceProcess, audience: Audience): Promise<void> {
  await engines.postgres.client.query('TRUNCATE recommendation_runs, recommendation_left_out')
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { status } = await fetch(`${service.url}/runs`, { method: 'POST', headers })
  if (status !== 202) throw new Error(`the run was not begun: ${status}`)
  let run: RunReport | undefined
  const hasEnded = async () => {
    run = (await (await fetch(`${service.url}/runs/today`, { headers })).json()) as RunReport
    return run.status !== 'RUNNING'
  }
  await waitUntil(hasEnded, `${audience} is served`)
  if (run?.status !== 'DONE' || run.sent !== AUDIENCES[audience]) {
    throw new Error(`not everybody was told: ${JSON.stringify(run)}`)
  }
}

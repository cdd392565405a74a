import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { notificationConfig } from '@dropbell/notification-producer/config'
import { createGate, type SlotRequest } from '@dropbell/notification-producer/gate'
import { gateKeys } from '@dropbell/notification-producer/gate-keys'
import { createGateRedis } from '@dropbell/notification-producer/gate-redis'
import { admitScript } from '@dropbell/notification-producer/gate-scripts'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { redisConfig } from '@dropbell/shared/config/redis'
import { createLogger } from '@dropbell/shared/log'
import { Redis } from 'ioredis'
import type { Bench } from './bench.ts'
import { compareSpeed } from './compare-speed.ts'
import { median } from './run-bench.ts'

/** As many as are asked about together in a fan-out. */
const PAGE = 500
const NAIVE_USERS = 500
const HOUR_MS = 3_600_000
const DAY_TTL_MS = 51 * HOUR_MS
const LIMIT = 10

export const admissionBench: Bench = {
  name: 'admission',
  compares:
    "the gate's decisions on new users, in pages of 500, with a bare pipeline of the same script, and with SET NX, SET NX, INCR for one user after another",
  expected: { raw: { atLeast: 0.8 }, naive: { atLeast: 8 } },
  async start(say) {
    say('starting Redis')
    const stack = await startIsolatedStack({ engines: ['redis'] })
    const config = loadConfig(defineConfig(redisConfig, notificationConfig), stack.env())
    const log = createLogger({ level: 'fatal', service: 'bench', destination: process.stderr })
    const gateRedis = createGateRedis({ config, log, service: 'bench' })
    const gate = createGate({ redis: gateRedis, config })
    const bare = new Redis(config.REDIS_URL)
    await gateRedis.start()
    const sha = (await bare.script('LOAD', admitScript)) as string

    return {
      async round() {
        const { oursPerSecond, barePerSecond } = await compareSpeed({
          ours: () => gate.admit(newUsers(PAGE)),
          bare: () => askBare(bare, sha, newUsers(PAGE)),
          operations: PAGE,
        })
        const naivePerSecond = await measureNaive(bare)
        return {
          ratios: { raw: oursPerSecond / barePerSecond, naive: oursPerSecond / naivePerSecond },
          figures: { decisionsPerSecond: oursPerSecond, barePerSecond, naivePerSecond },
        }
      },
      async stop() {
        bare.disconnect()
        await gateRedis.close()
        await stack.reset()
      },
    }
  },
}

let users = 0

/** Each is asked about for the first time, which is when the script has most to do. */
const newUsers = (count: number): SlotRequest[] =>
  Array.from({ length: count }, () => {
    return { userId: `user-${++users}`, subject: 'P-20391', type: 'PRICE_DROP', eventId: 'evt-1', date: '2026-01-15' }
  })

async function askBare(redis: Redis, sha: string, requests: readonly SlotRequest[]): Promise<void> {
  const keys = gateKeys()
  const pipeline = redis.pipeline()
  for (const { userId, subject, type, eventId, date } of requests) {
    const [sent, daily] = [keys.sent(userId, subject, type), keys.daily(userId, date)]
    pipeline.evalsha(sha, 2, sent, daily, eventId, date, HOUR_MS, LIMIT, DAY_TTL_MS)
  }
  const answers = await pipeline.exec()
  if (answers?.some(([error]) => error)) throw new Error('the script failed')
}

async function measureNaive(redis: Redis): Promise<number> {
  const speeds: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    const startedAt = performance.now()
    for (const { userId, subject, type, date } of newUsers(NAIVE_USERS)) {
      const isNew = await redis.set(`sent:${userId}:${subject}:${type}`, '1', 'PX', HOUR_MS, 'NX')
      if (isNew === null) continue
      await redis.set(`daily:${userId}:${date}`, '0', 'PX', DAY_TTL_MS, 'NX')
      await redis.incr(`daily:${userId}:${date}`)
    }
    speeds.push((NAIVE_USERS * 1_000) / (performance.now() - startedAt))
  }
  return median(speeds)
}

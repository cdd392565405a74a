import { Redis } from 'ioredis'
import { Kafka, logLevel } from 'kafkajs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIsolatedStack } from './isolated-stack.ts'
import { isAlive } from './processes/process-identity.ts'
import type { Stack } from './stack.ts'
import { testEnv } from './testing/test-env.ts'

let stack: Stack
let env: Record<string, string>

beforeAll(async () => {
  stack = await startIsolatedStack()
  env = stack.env()
})
afterAll(() => stack.reset())

const identityOf = (name: string) => {
  const identity = stack.runners.find(({ engine }) => engine.name === name)?.record()?.process
  if (!identity) throw new Error(`${name} has no process`)
  return identity
}

const killAndStart = async (name: string): Promise<void> => {
  const before = identityOf(name)
  await stack.engine(name).kill()
  expect(isAlive(before)).toBe(false)
  await stack.engine(name).start()
  expect(identityOf(name).pid).not.toBe(before.pid)
  expect(stack.env()).toEqual(env)
}

const elasticsearch = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${env.ELASTICSEARCH_URL}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return (await response.json()) as { _source?: object }
}

const withRedis = async <T>(work: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis(env.REDIS_URL as string, { lazyConnect: true })
  await redis.connect()
  return work(redis).finally(() => redis.disconnect())
}

const query = async (sql: string, url = env.DATABASE_URL as string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

describe('an isolated stack', () => {
  it('runs beside another one, with other ports and data', async () => {
    const other = testEnv() as unknown as Record<string, string>
    const addresses = Object.entries(env).filter(([, value]) => value.includes('127.0.0.1'))
    for (const [name, value] of addresses) expect(value, name).not.toBe(other[name])
    await query('CREATE TABLE only_here (id int)')
    await expect(query('SELECT * FROM only_here', other.DATABASE_URL)).rejects.toThrow('does not exist')
  })

  it('keeps acknowledged Kafka records through kill -9 and restart', async () => {
    const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
    const admin = kafka.admin()
    const producer = kafka.producer()
    await admin.connect()
    await admin.createTopics({ topics: [{ topic: 'kept', numPartitions: 1 }], waitForLeaders: true })
    await producer.connect()
    await producer.send({ topic: 'kept', acks: -1, messages: [{ value: 'one' }, { value: 'two' }] })
    await Promise.all([producer.disconnect(), admin.disconnect()])

    await killAndStart('kafka')

    await admin.connect()
    const [offsets] = await admin.fetchTopicOffsets('kept')
    await admin.disconnect()
    expect(offsets?.high).toBe('2')
  })

  it('keeps an indexed Elasticsearch document through kill -9 and restart', async () => {
    await elasticsearch('PUT', '/kept/_doc/1?refresh=true', { name: 'sneakers' })
    await killAndStart('elasticsearch')
    await elasticsearch('GET', '/_cluster/health/kept?wait_for_status=yellow&timeout=30s')
    expect((await elasticsearch('GET', '/kept/_doc/1'))._source).toEqual({ name: 'sneakers' })
  })

  it('keeps a Redis key through kill -9 and restart', async () => {
    await withRedis((redis) => redis.set('kept', 'yes'))
    await killAndStart('redis')
    expect(await withRedis((redis) => redis.get('kept'))).toBe('yes')
  })

  it('runs Redis as durable as the gate needs it', async () => {
    const settings = await withRedis((redis) => redis.config('GET', 'maxmemory-policy'))
    expect(settings).toEqual(['maxmemory-policy', 'noeviction'])
    expect(await withRedis((redis) => redis.config('GET', 'appendonly'))).toEqual(['appendonly', 'yes'])
  })

  it('keeps a committed Postgres row through kill -9 and restart', async () => {
    await query('CREATE TABLE kept (id int)')
    await query('INSERT INTO kept VALUES (42)')
    await killAndStart('postgres')
    expect(await query('SELECT id FROM kept')).toEqual([{ id: 42 }])
  })

  it('keeps its data when an engine is restarted in good order', async () => {
    await withRedis((redis) => redis.set('ordered', 'yes'))
    await stack.engine('redis').restart()
    expect(await withRedis((redis) => redis.get('ordered'))).toBe('yes')
  })

  it('freezes an engine, every process of it, and thaws it', async () => {
    const client = new pg.Client({ connectionString: env.DATABASE_URL as string })
    await client.connect()
    stack.engine('postgres').freeze()
    const answer = client.query('SELECT 1 AS one')
    const first = await Promise.race([answer.then(() => 'answered'), heartbeats(20).then(() => 'silent')])
    stack.engine('postgres').thaw()
    expect(first).toBe('silent')
    expect((await answer).rows).toEqual([{ one: 1 }])
    await client.end()
  })

  it('stops even a frozen engine', async () => {
    const identity = identityOf('redis')
    stack.engine('redis').freeze()
    await stack.engine('redis').stop()
    expect(isAlive(identity)).toBe(false)
    await stack.engine('redis').start()
  })

  it('does nothing when what should be up is up', async () => {
    const before = stack.runners.map(({ record }) => record()?.process)
    await stack.up()
    expect(stack.runners.map(({ record }) => record()?.process)).toEqual(before)
  })

  it('names the engines there are when asked for another', () => {
    const engines = 'kafka, schema-registry, elasticsearch, redis, postgres'
    const simulators = 'fcm-simulator, sms-simulator, smtp-sink, recommendation-simulator'
    expect(() => stack.engine('mysql')).toThrow(`${engines}, ${simulators}`)
  })
})

/** Round trips through Redis: other engines are awake all that time. */
const heartbeats = (count: number): Promise<void> =>
  withRedis(async (redis) => {
    for (let beat = 0; beat < count; beat++) await redis.ping()
  })

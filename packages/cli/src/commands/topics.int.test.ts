import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import type { Stack } from '@dropbell/local-stack/stack'
import { planTopics } from '@dropbell/schemas/topic-plan'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { createKafka } from '@dropbell/shared/kafka/connect'
import { createLogger } from '@dropbell/shared/log'
import type { Admin, Kafka } from 'kafkajs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runDropbell } from '../testing/cli-process.ts'
import type { AppliedTopics } from '../topics/apply-topics.ts'
import { createTopics } from '../topics/create-topics.ts'
import type { ListedTopic } from '../topics/list-topics.ts'
import { readTopics, readTopicsOnceVisible } from '../topics/read-topics.ts'

const plan = planTopics({ replicationFactor: 1 })
const inventory = 'product.inventory.v1'

// The topics have fixed names, so no other test may share this broker.
let stack: Stack
let env: Record<string, string>
let kafka: Kafka
let admin: Admin

beforeAll(async () => {
  stack = await startIsolatedStack({ engines: ['kafka'] })
  env = stack.env()
  const config = loadConfig(defineConfig(kafkaConfig), env)
  kafka = createKafka({ config, log: createLogger({ level: 'silent', service: 'test' }), service: 'test' }).client
  admin = kafka.admin()
  await admin.connect()
})

/** Each time with a new client: one that has seen a topic goes on believing in it for a while after its deletion. */
const readCluster = async () => {
  const fresh = kafka.admin()
  await fresh.connect()
  try {
    return await readTopics(fresh, plan)
  } finally {
    await fresh.disconnect()
  }
}

const connectAdmin = async (): Promise<Admin> => {
  const another = kafka.admin()
  onTestFinished(() => another.disconnect())
  await another.connect()
  return another
}

afterAll(async () => {
  await admin?.disconnect()
  await stack?.reset()
})

beforeEach(async () => {
  const left = [...(await readCluster()).keys()]
  if (left.length === 0) return
  await admin.deleteTopics({ topics: left })
  await vi.waitFor(async () => expect((await readCluster()).size).toBe(0), { timeout: 10_000 })
})

const apply = async (args: string[] = [], more: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await runDropbell(['topics', 'apply', '--json', ...args], { ...env, ...more }).result
  return { code, stderr, applied: JSON.parse(stdout || 'null') as AppliedTopics }
}

const statesIn = ({ topics }: AppliedTopics): Set<string> => new Set(topics.map(({ state }) => state))

describe('topics apply', () => {
  it('creates every topic with its dead-letter topic as declared', async () => {
    const { code, applied } = await apply()
    expect(code).toBe(0)
    expect(statesIn(applied)).toEqual(new Set(['created']))

    const found = await readCluster()
    expect([...found.keys()]).toEqual(plan.map(({ topic }) => topic))
    expect(found.get(inventory)).toMatchObject({
      partitions: 6,
      replicationFactor: 1,
      config: { 'retention.ms': '604800000', 'cleanup.policy': 'delete', 'min.insync.replicas': '1' },
    })
    expect(found.get(`${inventory}.dlq`)).toMatchObject({ partitions: 6, config: { 'retention.ms': '5184000000' } })
  })

  it('changes nothing the second time', async () => {
    await apply()
    const before = await readCluster()
    const { code, applied } = await apply()
    expect(code).toBe(0)
    expect(statesIn(applied)).toEqual(new Set(['in-place']))
    expect(await readCluster()).toEqual(before)
  })

  it('reports a topic that is different, leaves it alone and creates the others', async () => {
    await createOther({ numPartitions: 3, retentionMs: '3600000' })
    const { code, applied } = await apply()
    expect(code).toBe(1)
    expect(applied.topics.find(({ topic }) => topic === inventory)).toEqual({
      topic: inventory,
      state: 'drifted',
      drift: [
        { setting: 'partitions', declared: '6', actual: '3' },
        { setting: 'retention.ms', declared: '604800000', actual: '3600000' },
        { setting: 'compression.type', declared: 'gzip', actual: 'producer' },
      ],
    })
    const found = await readCluster()
    expect(found.size).toBe(plan.length)
    expect(found.get(inventory)).toMatchObject({ partitions: 3, config: { 'retention.ms': '3600000' } })
  })

  it('never shrinks a topic that has more partitions', async () => {
    await createOther({ numPartitions: 12, retentionMs: '604800000' })
    expect((await apply()).code).toBe(1)
    expect((await readCluster()).get(inventory)?.partitions).toBe(12)
  })

  it('says in words what differs and what to do', async () => {
    await createOther({ numPartitions: 3, retentionMs: '604800000' })
    const { stdout } = await runDropbell(['topics', 'apply'], env).result
    expect(stdout).toContain('partitions is 3, declared 6: more partitions would move keys')
    expect(stdout).toContain('10 created, 0 in place, 1 drifted, left alone.')
  })

  it('may run twice at once: both succeed, and every topic is created once', async () => {
    const runs = await Promise.all([apply(), apply()])
    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    const created = runs.flatMap(({ applied }) => applied.topics.filter(({ state }) => state === 'created'))
    expect(created.map(({ topic }) => topic).sort()).toEqual(plan.map(({ topic }) => topic).sort())
  })

  it('takes a topic that somebody else creates in the same moment for theirs', async () => {
    const others = await connectAdmin()
    const created = await Promise.all([admin, others].map((each) => createTopics(each, plan, () => {})))
    expect(created.flatMap((names) => [...names]).sort()).toEqual(plan.map(({ topic }) => topic).sort())
    expect((await readTopicsOnceVisible(admin, plan)).size).toBe(plan.length)
  })

  it('creates nothing in a dry run, and ends with 1 because something is missing', async () => {
    const { code, applied } = await apply(['--dry-run'])
    expect(code).toBe(1)
    expect(statesIn(applied)).toEqual(new Set(['missing']))
    expect((await readCluster()).size).toBe(0)
  })

  it('takes retention from the configuration', async () => {
    await apply([], { TOPICS_RETENTION_MS: `${inventory}=1000000`, TOPICS_DLQ_RETENTION_MS: '2000000' })
    const found = await readCluster()
    expect(found.get(inventory)?.config['retention.ms']).toBe('1000000')
    expect(found.get(`${inventory}.dlq`)?.config['retention.ms']).toBe('2000000')
  })

  it('refuses more replicas than there are brokers before it creates anything', async () => {
    const { code, stderr } = await apply(['--replication-factor', '3'])
    expect(code).toBe(78)
    expect(stderr).toContain('TOPICS_REPLICATION_FACTOR is 3; expected at most 1')
    expect((await readCluster()).size).toBe(0)
  })
})

describe('topics list', () => {
  const list = async (): Promise<ListedTopic[]> => {
    const { code, stdout } = await runDropbell(['topics', 'list', '--json'], env).result
    expect(code).toBe(0)
    return JSON.parse(stdout).topics
  }

  it('shows what is missing without creating it', async () => {
    const topics = await list()
    expect(topics.map(({ topic }) => topic)).toEqual(plan.map(({ topic }) => topic))
    expect(topics.every(({ state, actual }) => state === 'missing' && actual === null)).toBe(true)
    expect((await readCluster()).size).toBe(0)
  })

  it('counts the records of a topic', async () => {
    await apply()
    const producer = kafka.producer()
    await producer.connect()
    await producer.send({ topic: inventory, messages: ['a', 'b', 'c'].map((key) => ({ key, value: key })) })
    await producer.disconnect()
    const [first, second] = await list()
    expect(first).toMatchObject({ topic: inventory, state: 'in-place', actual: { partitions: 6, records: 3 } })
    expect(second?.actual?.records).toBe(0)
  })
})

const createOther = async ({ numPartitions, retentionMs }: { numPartitions: number; retentionMs: string }) => {
  const configEntries = [{ name: 'retention.ms', value: retentionMs }]
  await admin.createTopics({ topics: [{ topic: inventory, numPartitions, configEntries }], waitForLeaders: false })
  await vi.waitFor(async () => expect((await readCluster()).has(inventory)).toBe(true), { timeout: 10_000 })
}

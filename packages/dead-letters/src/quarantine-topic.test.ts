import type { Admin, ITopicConfig } from 'kafkajs'
import { expect, it } from 'vitest'
import { ensureQuarantineTopic } from './quarantine-topic.ts'

/** A cluster with one topic, which tells its settings as it is told to. */
const clusterWith = (describeConfigs: () => Promise<unknown>) => {
  const created: ITopicConfig[] = []
  const admin = {
    fetchTopicMetadata: async ({ topics: [name] }: { topics: string[] }) => {
      const isThere = name === 'shop.v1.dlq' || created.some(({ topic }) => topic === name)
      const partitions = isThere ? [{ replicas: [1, 2, 3] }, { replicas: [2, 3, 1] }] : []
      return { topics: [{ name, partitions }] }
    },
    describeConfigs,
    createTopics: async ({ topics }: { topics: ITopicConfig[] }) => created.push(...topics),
  }
  return { admin: admin as unknown as Admin, created }
}

it('is made like the topic whose records it takes', async () => {
  const { admin, created } = clusterWith(async () => ({
    resources: [
      {
        configEntries: [
          { configName: 'retention.ms', configValue: '7', configSource: 1 },
          { configName: 'segment.bytes', configValue: '9', configSource: 5 },
        ],
      },
    ],
  }))
  expect(await ensureQuarantineTopic(admin, 'shop.v1.dlq')).toBe('shop.v1.dlq.quarantine')
  expect(created).toEqual([
    expect.objectContaining({
      ...{ topic: 'shop.v1.dlq.quarantine', numPartitions: 2, replicationFactor: 3 },
      configEntries: [{ name: 'retention.ms', value: '7' }],
    }),
  ])
})

it('is made with the settings of ours where those of the topic are not shown', async () => {
  const denial = Object.assign(new Error('denied'), { type: 'TOPIC_AUTHORIZATION_FAILED' })
  const { admin, created } = clusterWith(() => Promise.reject(new Error('no retries', { cause: denial })))
  await ensureQuarantineTopic(admin, 'shop.v1.dlq')
  expect(created[0]?.configEntries).toEqual(
    expect.arrayContaining([
      { name: 'max.message.bytes', value: '2097152' },
      { name: 'min.insync.replicas', value: '2' },
    ]),
  )
})

it('is not made when nobody can be asked', async () => {
  const { admin, created } = clusterWith(() => Promise.reject(new Error('no answer')))
  await expect(ensureQuarantineTopic(admin, 'shop.v1.dlq')).rejects.toThrow('no answer')
  expect(created).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { adviseOn, compareTopics, findDrift, type TopicState } from './topic-drift.ts'

const planned = {
  topic: 'orders.v1',
  numPartitions: 6,
  replicationFactor: 3,
  configEntries: [
    { name: 'cleanup.policy', value: 'delete' },
    { name: 'retention.ms', value: '604800000' },
    { name: 'min.insync.replicas', value: '2' },
  ],
}

const asPlanned: TopicState = {
  topic: 'orders.v1',
  partitions: 6,
  replicationFactor: 3,
  config: { 'cleanup.policy': 'delete', 'retention.ms': '604800000', 'min.insync.replicas': '2', 'segment.ms': '1' },
}

describe('findDrift', () => {
  it('finds none in a topic that is as planned, whatever else is set on it', () => {
    expect(findDrift(planned, asPlanned)).toEqual([])
  })

  it.each([
    ['partitions', { partitions: 3 }, '6', '3'],
    ['replication.factor', { replicationFactor: 1 }, '3', '1'],
    ['retention.ms', { config: { ...asPlanned.config, 'retention.ms': '1000' } }, '604800000', '1000'],
    ['cleanup.policy', { config: { ...asPlanned.config, 'cleanup.policy': 'compact' } }, 'delete', 'compact'],
    ['min.insync.replicas', { config: { ...asPlanned.config, 'min.insync.replicas': '1' } }, '2', '1'],
  ])('reports a different %s with both values', (setting, difference, declared, actual) => {
    expect(findDrift(planned, { ...asPlanned, ...difference })).toEqual([{ setting, declared, actual }])
  })

  it('reports every difference of a topic', () => {
    const drift = findDrift(planned, { ...asPlanned, partitions: 12, replicationFactor: 2 })
    expect(drift.map(({ setting }) => setting)).toEqual(['partitions', 'replication.factor'])
  })

  it('reports a setting that the cluster does not tell', () => {
    const { 'retention.ms': _, ...config } = asPlanned.config
    expect(findDrift(planned, { ...asPlanned, config })).toEqual([
      { setting: 'retention.ms', declared: '604800000', actual: 'unset' },
    ])
  })
})

describe('compareTopics', () => {
  it('tells missing, drifted and settled topics apart', () => {
    const plan = ['a', 'b', 'c'].map((topic) => ({ ...planned, topic }))
    const found = new Map([
      ['a', { ...asPlanned, topic: 'a' }],
      ['b', { ...asPlanned, topic: 'b', partitions: 1 }],
      ['stranger', { ...asPlanned, topic: 'stranger' }],
    ])
    expect(compareTopics(plan, found).map(({ planned: { topic }, state }) => [topic, state])).toEqual([
      ['a', 'in-place'],
      ['b', 'drifted'],
      ['c', 'missing'],
    ])
  })
})

describe('adviseOn', () => {
  it('warns that more partitions would move keys', () => {
    expect(adviseOn({ setting: 'partitions', declared: '6', actual: '3' })).toContain('move keys')
  })

  it('says that partitions cannot be taken away', () => {
    expect(adviseOn({ setting: 'partitions', declared: '6', actual: '12' })).toContain('cannot be taken away')
  })

  it('names the variable that would declare the retention found', () => {
    expect(adviseOn({ setting: 'retention.ms', declared: '1', actual: '2' })).toContain('TOPICS_RETENTION_MS')
  })
})

import { describe, expect, it } from 'vitest'
import { planTopics } from './topic-plan.ts'
import { DEFAULT_DLQ_RETENTION_MS, dlqStateTopic, TOPICS } from './topics.ts'

const configOf = (topic: string, options: Parameters<typeof planTopics>[0] = { replicationFactor: 1 }) => {
  const planned = planTopics(options).find((each) => each.topic === topic)
  return Object.fromEntries(planned?.configEntries.map(({ name, value }) => [name, value]) ?? [])
}

describe('the plan of topics', () => {
  it('has every topic and its dead letters, six partitions each', () => {
    const plan = planTopics({ replicationFactor: 3 }).filter(({ topic }) => topic !== dlqStateTopic.name)
    expect(plan.map(({ topic }) => topic).sort()).toEqual(
      [
        'product.inventory.v1',
        'notification.fanout.v1',
        'notification.push.v1',
        'notification.inapp.v1',
        'notification.outcome.v1',
      ]
        .flatMap((name) => [name, `${name}.dlq`])
        .sort(),
    )
    expect(plan.every(({ numPartitions, replicationFactor }) => numPartitions === 6 && replicationFactor === 3)).toBe(
      true,
    )
  })

  it('has the topic of what was done with dead letters, which forgets nothing', () => {
    const planned = planTopics({ replicationFactor: 3 }).find(({ topic }) => topic === 'dropbell.dlq-state.v1')
    expect(planned).toMatchObject({ numPartitions: 1, replicationFactor: 3 })
    expect(configOf('dropbell.dlq-state.v1')).toEqual({ 'cleanup.policy': 'compact', 'min.insync.replicas': '1' })
  })

  it('keeps dead letters longer than anything they come from', () => {
    expect(DEFAULT_DLQ_RETENTION_MS).toBeGreaterThan(Math.max(...TOPICS.map(({ retentionMs }) => retentionMs)))
  })

  it('takes retention and the suffix from the configuration', () => {
    const options = {
      replicationFactor: 1,
      retentionMs: { 'notification.push.v1': 1_000 },
      dlqSuffix: '.dead',
      dlqRetentionMs: 2_000,
    }
    expect(configOf('notification.push.v1', options)['retention.ms']).toBe('1000')
    expect(configOf('notification.push.v1.dead', options)['retention.ms']).toBe('2000')
    expect(configOf('product.inventory.v1', options)).toEqual(configOf('product.inventory.v1'))
  })

  it('refuses a retention for a topic that does not exist', () => {
    expect(() => planTopics({ replicationFactor: 1, retentionMs: { 'notification.pish.v1': 1 } })).toThrow(
      'notification.pish.v1',
    )
  })

  it('asks for a second replica before acknowledging only where there are three', () => {
    expect(configOf('product.inventory.v1', { replicationFactor: 1 })['min.insync.replicas']).toBe('1')
    expect(configOf('product.inventory.v1', { replicationFactor: 3 })['min.insync.replicas']).toBe('2')
  })
})

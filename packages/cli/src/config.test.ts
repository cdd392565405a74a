import { ConfigError, defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { expect, it } from 'vitest'
import { topicsConfig } from './config.ts'
import { planFromConfig } from './topics/plan-from-config.ts'

const load = (env: Record<string, string>) => loadConfig(defineConfig(topicsConfig, dlqConfig), env)

const retentionIn = (env: Record<string, string>, wanted: string): string | undefined =>
  planFromConfig(load(env))
    .find(({ topic }) => topic === wanted)
    ?.configEntries.find(({ name }) => name === 'retention.ms')?.value

it('overrides the retention of the topics it names and of no other', () => {
  const env = { TOPICS_RETENTION_MS: 'notification.push.v1=1000, notification.outcome.v1=-1' }
  expect(retentionIn(env, 'notification.push.v1')).toBe('1000')
  expect(retentionIn(env, 'notification.outcome.v1')).toBe('-1')
  expect(retentionIn(env, 'product.inventory.v1')).toBe(retentionIn({}, 'product.inventory.v1'))
})

it('sets the retention of all dead letters at once', () => {
  const env = { TOPICS_DLQ_RETENTION_MS: '5000' }
  expect(retentionIn(env, 'notification.push.v1.dlq')).toBe('5000')
  expect(retentionIn(env, 'notification.push.v1')).toBe(retentionIn({}, 'notification.push.v1'))
})

it('plans as many replicas as it is told', () => {
  expect(
    new Set(planFromConfig(load({ TOPICS_REPLICATION_FACTOR: '3' })).map((topic) => topic.replicationFactor)),
  ).toEqual(new Set([3]))
})

it('names a topic that does not exist, and those that do', () => {
  expect(() => load({ TOPICS_RETENTION_MS: 'notification.pusch.v1=1000' })).toThrow(
    /TOPICS_RETENTION_MS names notification\.pusch\.v1; expected topics among .*notification\.push\.v1/,
  )
})

it.each([
  'notification.push.v1',
  'notification.push.v1=',
  'notification.push.v1=7d',
  'notification.push.v1=-2',
  '=1000',
])('refuses the retention %j', (value) => {
  expect(() => load({ TOPICS_RETENTION_MS: value })).toThrow(ConfigError)
})

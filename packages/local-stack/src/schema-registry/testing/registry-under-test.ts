import { randomUUID } from 'node:crypto'
import { Kafka, logLevel } from 'kafkajs'
import { onTestFinished } from 'vitest'
import { testEnv } from '../../testing/test-env.ts'
import { type RunningRegistry, startRegistry } from '../start-registry.ts'

/** Integration tests' way in: registries on topics of their own that stop, and topics that go, with the test. */

export const brokers = (): string[] => testEnv().KAFKA_BROKERS.split(',')

export const testKafka = (): Kafka =>
  new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING, retry: { retries: 5 } })

export const freshTopic = (): string => {
  const topic = `_schemas-${randomUUID()}`
  onTestFinished(async () => {
    const admin = testKafka().admin()
    await admin.connect()
    await admin.deleteTopics({ topics: [topic] }).finally(() => admin.disconnect())
  })
  return topic
}

export const startOn = async (topic: string): Promise<RunningRegistry> => {
  const registry = await startRegistry({ brokers: brokers(), host: '127.0.0.1', port: 0, topic })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= registry.stop()
    return stopped
  }
  onTestFinished(stop)
  return { url: registry.url, stop }
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what it has to be.
  readonly body: any
}

export const call = async (url: string, method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    }),
  })
  return { status: response.status, body: await response.json() }
}

export const register = (url: string, subject: string, schema: unknown): Promise<Answer> =>
  call(url, 'POST', `/subjects/${encodeURIComponent(subject)}/versions`, { schema: JSON.stringify(schema) })

import type { AddressInfo } from 'node:net'
import { installIdleTimerGuard } from '@dropbell/shared/kafka/idle-timer-guard'
import { Kafka, logLevel } from 'kafkajs'
import { createHttpServer } from './http-server.ts'
import { createRegistry } from './registry.ts'
import { createRegistryStore } from './registry-store.ts'
import { openSchemasTopic } from './schemas-topic.ts'

export interface RegistryOptions {
  readonly brokers: readonly string[]
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly topic?: string
  readonly writeTimeoutMs?: number
  /** The registry can no longer follow its topic. The default leaves it to whoever asks for its health. */
  readonly onFatal?: (error: Error) => void
  readonly log?: (line: string) => void
}

export interface RunningRegistry {
  readonly url: string
  stop(): Promise<void>
}

const WRITE_TIMEOUT_MS = 10_000

/**
 * A Confluent-compatible schema registry whose state is one Kafka topic. It answers only after it has read the topic
 * to its end. One registry per topic: a second one is noticed and neither hands out the other's ids, but the loser of
 * a collision has to try again.
 */
export const startRegistry = async (options: RegistryOptions): Promise<RunningRegistry> => {
  const { host, topic = '_schemas', onFatal = () => undefined, log = () => undefined } = options
  installIdleTimerGuard()
  const kafka = connectTo(options.brokers, log)
  const store = createRegistryStore()
  const apply = (record: Parameters<typeof store.apply>[0]) => {
    if (!store.apply(record)) log(`left out a record that contradicts an earlier one: ${JSON.stringify(record)}`)
  }
  const schemasTopic = await openSchemasTopic({ kafka, topic, apply, onFatal })
  const writeTimeoutMs = options.writeTimeoutMs ?? WRITE_TIMEOUT_MS
  const registry = createRegistry({ store, log: schemasTopic, writeTimeoutMs })
  const server = createHttpServer({ registry, store }, (error) => log(`request failed: ${error.stack}`))
  try {
    await server.listen({ host, port: options.port })
  } catch (error) {
    await schemasTopic.close()
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    stop: async () => {
      await server.close()
      await schemasTopic.close()
    },
  }
}

const connectTo = (brokers: readonly string[], log: (line: string) => void): Kafka =>
  new Kafka({
    clientId: 'schema-registry',
    brokers: [...brokers],
    connectionTimeout: 3_000,
    requestTimeout: 6_000,
    enforceRequestTimeout: true,
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 1_000 },
    logLevel: logLevel.ERROR,
    // What a connection retries by itself is no news; what it gives up on comes back as the reader's or a write's error.
    logCreator:
      () =>
      ({ namespace, log: { message } }) => {
        if (namespace === 'Consumer') log(`kafka: ${message}`)
      },
  })

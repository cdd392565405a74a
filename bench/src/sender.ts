import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { planTopics } from '@dropbell/schemas/topic-plan'
import { Kafka, logLevel } from 'kafkajs'
import type { Bench, Sample } from './bench.ts'
import { measureAdapters, openSenderAdapters, type SenderAdapters } from './sender-adapters.ts'
import { openSenderService, type SenderService } from './sender-service.ts'

const ENGINES = ['kafka', 'schema-registry', 'redis', 'postgres', 'fcm-simulator']
/** Enough for Postgres to know its tables. */
const SMALL_LEDGER = 10_000
const FULL_LEDGER = 1_000_000
/** Several seconds' work, so that the first batches and the last weigh little. */
const MESSAGES = 24_000
const ADAPTER_MESSAGES = 6_000
/** A broker that has just started is slow for a while. */
const WARM_UP = 6_000

export const senderBench: Bench = {
  name: 'sender',
  compares:
    'the whole push-sender (Kafka, ledger, outcomes) with one bare node:http2 session and bare kafkajs that hand over the ' +
    'same messages, its FCM adapters with each other, and itself with a million settled rows in the ledger',
  expected: { raw: { atLeast: 0.4 }, sdk: { atLeast: 1.3 }, fullLedger: { atLeast: 0.85 } },
  async start(say) {
    say('starting the engines')
    const stack = await startIsolatedStack({ engines: ENGINES })
    const services: SenderService[] = []
    let adapters: SenderAdapters | undefined
    const stop = async (): Promise<void> => {
      await Promise.allSettled([...services.map((service) => service.stop()), adapters?.close()])
      await stack.reset()
    }
    try {
      const env = stack.env() as Record<string, string>
      await prepare(env)
      adapters = await openSenderAdapters(env, 'adapters')
      for (const [name, settledRows] of [['small', SMALL_LEDGER] as const, ['full', FULL_LEDGER] as const]) {
        say(`a ledger of ${settledRows.toLocaleString('en')} settled rows`)
        const service = await openSenderService(env, { name, settledRows })
        services.push(service)
        await service.measure(WARM_UP)
      }
    } catch (error) {
      await stop()
      throw error
    }
    const [small, full] = services as [SenderService, SenderService]
    const opened = adapters
    return { round: () => measure(opened, small, full), stop }
  },
}

/** Everything before and after, in mirrored order, so that a machine that slows down slows all of it. */
async function measure(adapters: SenderAdapters, small: SenderService, full: SenderService): Promise<Sample> {
  const before = await measureAdapters(adapters, ADAPTER_MESSAGES)
  const first = await small.measure(MESSAGES)
  const fullLedgerPerSecond = ((await full.measure(MESSAGES)) + (await full.measure(MESSAGES))) / 2
  const servicePerSecond = (first + (await small.measure(MESSAGES))) / 2
  const after = await measureAdapters(adapters, ADAPTER_MESSAGES)
  const rawPerSecond = (before.rawPerSecond + after.rawPerSecond) / 2
  const rawPushPerSecond = (before.rawPushPerSecond + after.rawPushPerSecond) / 2
  const http2PerSecond = (before.http2PerSecond + after.http2PerSecond) / 2
  const sdkPerSecond = (before.sdkPerSecond + after.sdkPerSecond) / 2
  return {
    ratios: {
      raw: servicePerSecond / rawPerSecond,
      sdk: http2PerSecond / sdkPerSecond,
      fullLedger: fullLedgerPerSecond / servicePerSecond,
    },
    figures: { servicePerSecond, fullLedgerPerSecond, rawPerSecond, rawPushPerSecond, http2PerSecond, sdkPerSecond },
  }
}

async function prepare(env: Record<string, string>): Promise<void> {
  const kafka = new Kafka({ brokers: [env.KAFKA_BROKERS as string], logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  await admin.createTopics({ topics: planTopics({ replicationFactor: 1 }), waitForLeaders: true })
  await admin.disconnect()
  await registerSchemas(createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string }))
}

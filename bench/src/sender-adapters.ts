import { buildMessage } from '@dropbell/push-sender/fcm/build-message'
import { fcmConfig } from '@dropbell/push-sender/fcm/config'
import { createFcmProvider } from '@dropbell/push-sender/fcm/create-fcm-provider'
import { createFcmMetrics } from '@dropbell/push-sender/fcm/fcm-metrics'
import { wireBody } from '@dropbell/push-sender/fcm/wire-message'
import type { Outgoing, Provider } from '@dropbell/push-sender/provider'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { createLogger } from '@dropbell/shared/log'
import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import { connectBareClient } from './bare-http2-client.ts'
import { connectBareProducer } from './bare-producer.ts'
import { sampleNotifications } from './sample-events.ts'

/** A full batch of the SDK. */
const BATCH = 500
const DEADLINE_MS = 60_000

/** Ways to hand a batch of the same messages over. */
export interface SenderAdapters {
  /** To FCM by one bare `node:http2` session and to the app by bare kafkajs, at the same time, all of it ready made. */
  readonly raw: () => Promise<void>
  /** Without the app. */
  readonly rawPush: () => Promise<void>
  /** To FCM, by our adapters. */
  readonly http2: () => Promise<void>
  readonly sdk: () => Promise<void>
  close(): Promise<void>
}

export async function openSenderAdapters(env: Record<string, string>, project: string): Promise<SenderAdapters> {
  const endpoint = env.FCM_ENDPOINT as string
  // Asked by `reserve` alone, which the adapters do not need: never connected.
  const redis = new Redis({ lazyConnect: true })
  const providers = {
    http2: providerOver('http2', { endpoint, project, redis }),
    sdk: providerOver('sdk', { endpoint, project, redis }),
  }
  const bare = await connectBareClient(endpoint, project)
  const producer = await connectBareProducer(env)
  const messages = sampleOutgoings(BATCH)
  const bodies = bodiesOf(messages)
  const records = await producer.prepare(messages.map(({ notification }) => notification))
  return {
    raw: async () => {
      await Promise.all([bare.send(bodies), producer.send(records)])
    },
    rawPush: () => bare.send(bodies),
    http2: () => send(providers.http2, messages),
    sdk: () => send(providers.sdk, messages),
    close: async () => {
      bare.close()
      await producer.close()
      await Promise.all(Object.values(providers).map((provider) => provider.close()))
      redis.disconnect()
    },
  }
}

/** One message to each of so many devices. */
function sampleOutgoings(count: number): Outgoing[] {
  return sampleNotifications(count).map((notification, index) => ({
    deliveryId: notification.notificationId,
    notification,
    target: { id: `device-${index}`, address: `bench-token-${index}`, platform: index % 2 === 0 ? 'IOS' : 'ANDROID' },
  }))
}

/** What goes over the wire, for whoever sends it without us. */
const bodiesOf = (messages: readonly Outgoing[]): string[] =>
  messages.map((message) => wireBody(buildMessage(message, { dataOnlyTypes: new Set() }, Date.now())))

export interface AdapterSpeeds {
  readonly rawPerSecond: number
  readonly rawPushPerSecond: number
  readonly http2PerSecond: number
  readonly sdkPerSecond: number
}

/** In turns, the first mover changing, so that a machine that slows down slows all of them. */
export async function measureAdapters(adapters: SenderAdapters, messages: number): Promise<AdapterSpeeds> {
  const names = ['raw', 'rawPush', 'http2', 'sdk'] as const
  const tookMs = { raw: 0, rawPush: 0, http2: 0, sdk: 0 }
  const turns = Math.ceil(messages / BATCH)
  for (let turn = -1; turn < turns; turn++) {
    for (let step = 0; step < names.length; step++) {
      const name = names[(turn + 1 + step) % names.length] as (typeof names)[number]
      const start = performance.now()
      await adapters[name]()
      if (turn >= 0) tookMs[name] += performance.now() - start // the first turn warms up
    }
  }
  const perSecond = (ms: number) => (turns * BATCH * 1_000) / ms
  return {
    rawPerSecond: perSecond(tookMs.raw),
    rawPushPerSecond: perSecond(tookMs.rawPush),
    http2PerSecond: perSecond(tookMs.http2),
    sdkPerSecond: perSecond(tookMs.sdk),
  }
}

interface ProviderTarget {
  readonly endpoint: string
  readonly project: string
  readonly redis: Redis
}

function providerOver(transport: 'http2' | 'sdk', { endpoint, project, redis }: ProviderTarget): Provider {
  const env = { FCM_TRANSPORT: transport, FCM_ENDPOINT: endpoint, FCM_PROJECT_ID: project }
  const config = loadConfig(defineConfig(fcmConfig), env)
  const log = createLogger({ level: 'silent', service: 'bench' })
  return createFcmProvider({ config, redis, metrics: createFcmMetrics(new Registry()), log })
}

async function send(provider: Provider, messages: readonly Outgoing[]): Promise<void> {
  const results = await provider.send(messages, { deadlineMs: DEADLINE_MS })
  const failed = results.find(({ kind }) => kind !== 'accepted')
  if (failed) throw new Error(`A message was not accepted: ${JSON.stringify(failed)}`)
}

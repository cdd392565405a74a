import { createOutput } from '@dropbell/cli/output'
import { runProgram } from '@dropbell/cli/program'
import { createFcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { createCodec } from '@dropbell/schemas/codec'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { productInventoryTopic } from '@dropbell/schemas/topics'
import type { Environment } from '@dropbell/shared/config'
import { createLogger } from '@dropbell/shared/log'
import { type Message, Partitioners } from 'kafkajs'
import { connectToStack } from './connect-to-stack.ts'
import { prepareEngines } from './prepare-engines.ts'
import { runHistoryIndexer, runInventoryConsumer, runPushSender } from './run-services.ts'

const project = 'dropbell-trace'

/** All services that a notification passes, on a stack of their own, and the command line that is asked about it. */
export const openTraceWorld = async () => {
  const stack = await startIsolatedStack()
  const env: Environment = { ...stack.env(), FCM_PROJECT_ID: project }
  const log = createLogger({ level: 'fatal', service: 'trace', destination: process.stderr })
  const engines = connectToStack(env, log)
  await prepareEngines(engines, env, log)
  const services = [
    await runPushSender(env, log),
    await runInventoryConsumer(env, log),
    await runHistoryIndexer(env, log),
  ]
  const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
  const codec = createCodec({ topic: productInventoryTopic, registry })
  const producer = engines.kafka.client.producer({ createPartitioner: Partitioners.DefaultPartitioner })
  await producer.connect()
  const send = (messages: Message[]) => producer.send({ topic: productInventoryTopic.name, acks: -1, messages })

  return {
    stack,
    env,
    engines,
    fcm: createFcmControl(env.FCM_ENDPOINT as string, project),
    /** As other teams write them. */
    publish: async (events: readonly ProductInventoryEvent[]) => {
      const values = await codec.encodeBatch(events)
      await send(events.map(({ productId: key }, index) => ({ key, value: values[index] as Buffer })))
    },
    publishRaw: send,
    dropbell: (...args: string[]) => runDropbell(args, env),
    close: async () => {
      for (const service of services.reverse()) await service.stop()
      await producer.disconnect()
      await Promise.all(Object.values(engines).map(({ close }) => close()))
      await stack.reset()
    },
  }
}

export type TraceWorld = Awaited<ReturnType<typeof openTraceWorld>>

/** The command line, in this process. */
const runDropbell = async (args: readonly string[], env: Environment) => {
  const written = { stdout: '', stderr: '' }
  const into = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const output = createOutput({ stdout: into('stdout'), stderr: into('stderr'), env })
  const { signal } = new AbortController()
  const code = await runProgram(args, { env, output, signal, operator: 'ann@shop', avroFolder: '', version: '0' })
  return { code, ...written }
}

import { parseArgs } from 'node:util'
import { formatTable } from '@dropbell/local-stack/format-table'
import { findEngineUser } from '@dropbell/local-stack/processes/engine-user'
import { upWithProgress } from '@dropbell/local-stack/show-progress'
import { openStack } from '@dropbell/local-stack/stack'
import { stackPaths } from '@dropbell/local-stack/stack-paths'
import { createLogger } from '@dropbell/shared/log'
import type { Kafka } from 'kafkajs'
import { connectToStack } from './connect-to-stack.ts'
import { elasticsearchRoundTrip, kafkaRoundTrip, postgresRoundTrip, redisRoundTrip } from './round-trips.ts'
import { describeChange, showContracts } from './show-contracts.ts'

const usage = `npx pnpm demo [--keep]

Brings the real engines up on this machine, without Docker, sends something through each, shows it, and takes them
down again. Engines that were up before stay up.

  --keep   leave the engines running; \`npx pnpm stack down\` ends them
  --help   this text
`

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const demo = async (keep: boolean, signal: AbortSignal): Promise<void> => {
  const stack = await openStack({ ...stackPaths(process.env, process.cwd()), user: findEngineUser(process.env) })
  const wasUp = stack.runners.every(({ isRunning }) => isRunning())
  print(
    wasUp
      ? 'The engines are up already.\n'
      : 'Starting the engines. The first time they are fetched, which takes minutes.\n',
  )
  try {
    await upWithProgress(stack, signal)
    // What the clients cannot do is thrown; what they complain of meanwhile is not for the audience.
    const log = createLogger({ level: 'fatal', service: 'demo', destination: process.stderr })
    const engines = connectToStack(stack.env(), log)
    try {
      const trips: Record<string, () => Promise<string>> = {
        kafka: () => kafkaRoundTrip(engines.kafka.client),
        elasticsearch: () => elasticsearchRoundTrip(engines.elasticsearch.client),
        redis: () => redisRoundTrip(engines.redis.client),
        postgres: () => postgresRoundTrip(engines.postgres.client),
      }
      const rows: string[][] = []
      for (const { engine, record } of stack.runners) {
        signal.throwIfAborted()
        const { version = '', ports, startUpMs = 0 } = record() ?? {}
        const trip = await trips[engine.name]?.()
        rows.push([engine.title, version, String(ports?.main), `${(startUpMs / 1000).toFixed(1)} s`, trip ?? 'answers'])
      }
      print(`\n${formatTable(['engine', 'version', 'port', 'start-up', 'round trip'], rows)}\n`)
      signal.throwIfAborted()
      await printContracts(engines.kafka.client, stack.env().SCHEMA_REGISTRY_URL as string)
    } finally {
      await Promise.all(Object.values(engines).map(({ close }) => close()))
    }
  } finally {
    if (keep || wasUp) stack.release()
    else await stack.down()
  }
  print(keep || wasUp ? 'The engines stay up: npx pnpm stack status' : 'The engines are down again.')
}

const printContracts = async (kafka: Kafka, registryUrl: string): Promise<void> => {
  const { topics, subjects, events } = await showContracts(kafka, registryUrl)
  const rows = events.map((event) => [event.productId, event.eventType, describeChange(event)])
  print(
    `${topics} topics are in place, ${subjects.length} subjects are registered. Three inventory events, as read back:\n`,
  )
  print(`${formatTable(['product', 'event', 'change'], rows)}\n`)
}

const { values } = parseArgs({ options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } })
if (values.help) print(usage)
else {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Error(`Called off by ${signal}`)))
  }
  await demo(values.keep ?? false, controller.signal).catch((error: Error) => {
    process.stderr.write(`\n${error.message}\n`)
    process.exitCode = 1
  })
}

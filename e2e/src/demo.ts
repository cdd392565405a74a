import { parseArgs } from 'node:util'
import { findEngineUser } from '@dropbell/local-stack/processes/engine-user'
import { upWithProgress } from '@dropbell/local-stack/show-progress'
import { openStack, type Stack } from '@dropbell/local-stack/stack'
import { stackPaths } from '@dropbell/local-stack/stack-paths'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import type { Environment } from '@dropbell/shared/config'
import { formatTable } from '@dropbell/shared/format-table'
import { createLogger } from '@dropbell/shared/log'
import { connectToStack } from './connect-to-stack.ts'
import { describeFunnel } from './funnel.ts'
import { prepareEngines } from './prepare-engines.ts'
import { elasticsearchRoundTrip, kafkaRoundTrip, postgresRoundTrip, redisRoundTrip } from './round-trips.ts'
import { type RunningService, runHistoryIndexer, runInventoryConsumer, runPushSender } from './run-services.ts'
import { openShop } from './shop.ts'
import { describeHistory, untilHistoryHas } from './show-history.ts'
import { demoProject, describePushes, openDemoFcm, scriptDeadToken, showPushes } from './show-pushes.ts'
import { describeRecommendations, forgetTodaysBatch, showRecommendations } from './show-recommendations.ts'
import { describeChange, showShop } from './show-shop.ts'

const usage = `npx pnpm demo [--keep]

Brings the real engines up on this machine, without Docker, lets a price drop and a restock happen in a small shop,
follows them to the devices (of a simulated Firebase), and shows from the history what became of everybody: sent, deferred,
opted out, rate-limited or stale, and why. It runs the daily recommendations, too. Then it takes the engines down. Engines that were up before stay up.

  --keep   leave the engines running; \`npx pnpm stack down\` ends them
  --help   this text
`

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

// What the clients cannot do is thrown; what they complain of meanwhile is not for the audience.
const log = createLogger({ level: 'fatal', service: 'demo', destination: process.stderr })

type Engines = ReturnType<typeof connectToStack>

const printEngines = async (stack: Stack, engines: Engines): Promise<void> => {
  const trips: Record<string, () => Promise<string>> = {
    kafka: () => kafkaRoundTrip(engines.kafka.client),
    elasticsearch: () => elasticsearchRoundTrip(engines.elasticsearch.client),
    redis: () => redisRoundTrip(engines.redis.client),
    postgres: () => postgresRoundTrip(engines.postgres.client),
  }
  const rows: string[][] = []
  for (const { engine, record } of stack.runners) {
    const { version = '', ports, startUpMs = 0 } = record() ?? {}
    const trip = (await trips[engine.name]?.()) ?? 'answers'
    rows.push([engine.title, version, String(ports?.main), `${(startUpMs / 1000).toFixed(1)} s`, trip])
  }
  print(`\n${formatTable(['engine', 'version', 'port', 'start-up', 'round trip'], rows)}\n`)
}

const printShop = async (stack: Stack, engines: Engines): Promise<void> => {
  const env: Environment = { ...stack.env(), FCM_PROJECT_ID: demoProject }
  const { topics, subjects } = await prepareEngines(engines, env, log)
  print(`${topics} topics, ${subjects} schema subjects, tables and indices are in place.`)
  const shop = await openShop(engines.elasticsearch.client, engines.postgres.client)
  const fcm = openDemoFcm(env.FCM_ENDPOINT as string)
  await scriptDeadToken(fcm, shop)
  const services: RunningService[] = []
  try {
    for (const run of [runHistoryIndexer, runPushSender, runInventoryConsumer]) services.push(await run(env, log))
    print(`${services.map(({ name }) => name).join(', ')} are running. What happens in the shop:\n`)
    const registry = createRegistryClient({ url: env.SCHEMA_REGISTRY_URL as string })
    const { events, funnel, notifications } = await showShop(engines.kafka.client, registry, shop, metricsOf(services))
    const shown = events.filter(({ productId }) => !shop.trifles.includes(productId))
    const rows = shown.map((event) => [event.productId, event.eventType, describeChange(event)])
    rows.push([`${shop.trifles.length} trifles`, 'PRICE_CHANGE', 'price 99.9 → 79.9, each'])
    print(`${formatTable(['product', 'event', 'change'], rows)}\n`)
    print(`${describeFunnel(funnel, notifications.length)}\n`)
    for (const product of [shop.sneakers, shop.backpack]) {
      const example = notifications.find(({ productId }) => productId === product)
      print(`  ${example?.channels.join(' + ')} to ${example?.userId}: ${example?.title} ${example?.body}`)
    }
    const history = await untilHistoryHas(engines.elasticsearch.client, shop, funnel.targets)
    print(`\nWhat became of everybody, from the history:\n\n${describeHistory(history)}\n`)
    const pushes = await showPushes(engines.postgres.client, fcm, shop, notifications)
    print(`To the devices:\n${describePushes(pushes)}\n`)
    await forgetTodaysBatch(engines.postgres.client, engines.redis.client)
    print(
      `The daily recommendations, begun by hand:\n${describeRecommendations(await showRecommendations(env, log))}\n`,
    )
  } finally {
    for (const service of services.reverse()) await service.stop()
  }
}

const metricsOf = (services: readonly RunningService[]) => async (): Promise<string> =>
  (await Promise.all(services.map(({ metrics }) => metrics()))).join('\n')

const demo = async (keep: boolean, signal: AbortSignal): Promise<void> => {
  const stack = await openStack({ ...stackPaths(process.env, process.cwd()), user: findEngineUser(process.env) })
  print('Starting the engines that do not run. The first time they are fetched.\n')
  const { started } = await upWithProgress(stack, signal)
  const stays = keep || started.length === 0
  try {
    const engines = connectToStack(stack.env(), log)
    try {
      for (const chapter of [printEngines, printShop]) {
        signal.throwIfAborted()
        await chapter(stack, engines)
      }
    } finally {
      await Promise.all(Object.values(engines).map(({ close }) => close()))
    }
  } finally {
    if (stays) stack.release()
    else await stack.down(started)
  }
  print(stays ? 'The engines stay up: npx pnpm stack status' : 'The engines are down again.')
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

import { startSimulator } from './start-simulator.ts'

/** The simulator as a process of its own. Says `ready` on stdout once it answers; everything else goes to stderr. */
const fail = (reason: string): never => {
  process.stderr.write(`Recommendation API simulator: ${reason}\n`)
  process.exit(1)
}

const host = process.env.RECOMMENDATION_SIMULATOR_HOST || '127.0.0.1'
const port = Number(process.env.RECOMMENDATION_SIMULATOR_PORT || fail('RECOMMENDATION_SIMULATOR_PORT is not set'))
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail('RECOMMENDATION_SIMULATOR_PORT is not a port')

const simulator = await startSimulator({ host, port }).catch((error: Error) =>
  fail(`cannot start on ${host}:${port}: ${error.message}`),
)
process.stdout.write(`Recommendation API simulator ready at ${simulator.url}\n`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => simulator.stop())

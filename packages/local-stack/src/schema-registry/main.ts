import { startRegistry } from './start-registry.ts'

/** The registry as a process of its own. Says `ready` on stdout once it answers; everything else goes to stderr. */
const say = (line: string) => process.stderr.write(`${line}\n`)

const fail = (reason: string, error: unknown): never => {
  say(`schema registry: ${reason}: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

const required = (name: string): string => process.env[name] || fail('cannot start', `${name} is not set`)

const brokers = required('KAFKA_BROKERS').split(',')
const host = process.env.SCHEMA_REGISTRY_HOST || '127.0.0.1'
const topic = process.env.SCHEMA_REGISTRY_TOPIC || '_schemas'
const port = Number(required('SCHEMA_REGISTRY_PORT'))
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail('cannot start', 'SCHEMA_REGISTRY_PORT is not a port')

// A registry that no longer follows its topic must not go on answering from what it remembers.
const onFatal = (error: Error) => fail('lost its topic', error)

const registry = await startRegistry({ brokers, host, port, topic, onFatal, log: say }).catch((error: unknown) =>
  fail(`cannot start on ${host}:${port} with Kafka at ${brokers.join(',')}`, error),
)
process.stdout.write(`schema registry ready at ${registry.url}\n`)

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    registry.stop().then(
      () => process.exit(0),
      (error: unknown) => fail('did not stop cleanly', error),
    )
  })
}

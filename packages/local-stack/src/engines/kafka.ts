import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { fetchWithMaven } from '../artifacts/maven.ts'
import { runAs } from '../processes/run-as.ts'
import type { Engine, EngineSite } from './engine.ts'
import { findJava } from './java.ts'

const version = '4.3.1'
const log4jVersion = '2.25.4'

const brokersOf = ({ ports }: EngineSite): string => `127.0.0.1:${ports.main}`

/**
 * One node that is broker and controller. Small internal topics: each of their partitions costs start-up time. Everybody
 * may do everything, except where a test denies it.
 */
const propertiesOf = ({ directory, ports }: EngineSite): string => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports.controller}
listeners=PLAINTEXT://127.0.0.1:${ports.main},CONTROLLER://127.0.0.1:${ports.controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports.main}
controller.listener.names=CONTROLLER
log.dirs=${join(directory, 'data')}
auto.create.topics.enable=false
offsets.topic.num.partitions=6
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=6
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true
`

const log4j = `
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %-5p %c{1} %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
`

const javaArguments = (site: EngineSite, main: string, ...rest: string[]): string[] => [
  '-Xms128m',
  '-Xmx512m',
  '-XX:+UseG1GC',
  `-Djava.io.tmpdir=${site.directory}`,
  `-Dlog4j2.configurationFile=${join(site.directory, 'log4j2.properties')}`,
  '-cp',
  join(site.installation, '*'),
  main,
  ...rest,
]

export const kafka: Engine = {
  name: 'kafka',
  title: 'Kafka',
  dependsOn: [],
  ports: { main: 9092, controller: 9093 },
  artifact: {
    id: `kafka-${version}`,
    fetch: (directory, watch) =>
      fetchWithMaven(
        [`org.apache.kafka:kafka_2.13:${version}`, `org.apache.logging.log4j:log4j-slf4j-impl:${log4jVersion}`],
        directory,
        watch,
      ),
  },

  async prepare(site) {
    const properties = join(site.directory, 'server.properties')
    await writeFile(join(site.directory, 'log4j2.properties'), log4j)
    const data = join(site.directory, 'data')
    if (!existsSync(data)) {
      // Formatted under another name first: a half-formatted directory would never start.
      const draft = join(site.directory, 'data.formatting')
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft)
      await writeFile(properties, propertiesOf(site).replace(data, draft))
      const { binary } = await findJava()
      // The tool takes an id that begins with a dash for an option.
      const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A')
      const format = javaArguments(site, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties)
      await runAs(site.user, binary, format, site.directory)
      await rename(draft, data)
    }
    await writeFile(properties, propertiesOf(site))
  },

  async command(site) {
    const { binary } = await findJava()
    const args = javaArguments(site, 'kafka.Kafka', join(site.directory, 'server.properties'))
    return { file: binary, args, cwd: site.directory }
  },

  async probe(site) {
    const admin = new Kafka({
      brokers: [brokersOf(site)],
      clientId: 'dropbell-local-stack',
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      retry: { retries: 0 },
    }).admin()
    try {
      await admin.connect()
      const { brokers } = await admin.describeCluster()
      if (brokers.length === 0) throw new Error('The broker has not registered yet')
      return version
    } finally {
      await admin.disconnect()
    }
  },

  env: (site) => ({ KAFKA_BROKERS: brokersOf(site) }),
}

import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import type { Command } from 'commander'
import { topicsConfig } from '../config.ts'
import { brokersOption, jsonOption, replicationFactorOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { withKafkaAdmin } from '../kafka/with-kafka-admin.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { type AppliedTopics, applyTopics } from '../topics/apply-topics.ts'
import { formatApplied } from '../topics/format-applied.ts'
import { planFromConfig } from '../topics/plan-from-config.ts'

interface Options {
  readonly brokers?: string
  readonly replicationFactor?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

const schema = defineConfig(kafkaConfig, topicsConfig, dlqConfig)

export const addTopicsApply = (topics: Command, run: RunCommand): void => {
  topics
    .command('apply')
    .description(
      'Create the topics that are missing and report where existing ones differ from their declaration. Existing topics are never changed, shrunk or deleted. Exits with 1 if one differs.',
    )
    .addOption(brokersOption())
    .addOption(replicationFactorOption())
    .option('--dry-run', 'create nothing; exits with 1 if a topic is missing or differs')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell topics apply
  $ dropbell topics apply --brokers kafka-1:9092,kafka-2:9092 --replication-factor 3
  $ dropbell topics apply --dry-run --json
  $ TOPICS_RETENTION_MS=notification.outcome.v1=7776000000 dropbell topics apply`,
    )
    .action(run(executeTopicsApply))
}

const executeTopicsApply: Execute<Options> = async (session, options) => {
  const { env, output } = session
  const flags = { KAFKA_BROKERS: options.brokers, TOPICS_REPLICATION_FACTOR: options.replicationFactor }
  const config = loadConfig(schema, withFlags(env, flags))
  const plan = planFromConfig(config)

  const applied = await withKafkaAdmin(session, config, (admin) =>
    applyTopics(admin, plan, { dryRun: options.dryRun === true, onProgress: output.progress }),
  )

  if (options.json) output.printJson(applied)
  else output.print(formatApplied(applied, output.paint))
  warnOfFewReplicas(applied, config.TOPICS_REPLICATION_FACTOR, output.warn)
  return applied.ok ? exitCodes.ok : exitCodes.problemsFound
}

/** The default suits a single broker; on a cluster it would lose records with the first broker. */
const warnOfFewReplicas = ({ brokers }: AppliedTopics, factor: number, warn: (text: string) => void): void => {
  if (brokers < 3 || factor >= 3) return
  warn(
    `The cluster has ${brokers} brokers, but the topics are kept on ${factor}. Set TOPICS_REPLICATION_FACTOR=3 to survive the loss of one.`,
  )
}

import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import type { Command } from 'commander'
import { topicsConfig } from '../config.ts'
import { brokersOption, jsonOption, replicationFactorOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { withKafkaAdmin } from '../kafka/with-kafka-admin.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { formatListed } from '../topics/format-listed.ts'
import { listTopics } from '../topics/list-topics.ts'
import { planFromConfig } from '../topics/plan-from-config.ts'

interface Options {
  readonly brokers?: string
  readonly replicationFactor?: string
  readonly json?: boolean
}

const schema = defineConfig(kafkaConfig, topicsConfig, dlqConfig)

export const addTopicsList = (topics: Command, run: RunCommand): void => {
  topics
    .command('list')
    .description('Show the declared topics: whether they exist, how they are set, how many records they hold.')
    .addOption(brokersOption())
    .addOption(replicationFactorOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell topics list
  $ dropbell topics list --brokers kafka-1:9092
  $ dropbell topics list --json | jq '.topics[] | select(.state != "in-place")'`,
    )
    .action(run(executeTopicsList))
}

const executeTopicsList: Execute<Options> = async (session, options) => {
  const { env, output } = session
  const flags = { KAFKA_BROKERS: options.brokers, TOPICS_REPLICATION_FACTOR: options.replicationFactor }
  const config = loadConfig(schema, withFlags(env, flags))
  const topics = await withKafkaAdmin(session, config, (admin) => {
    output.progress('Reading the topics …')
    return listTopics(admin, planFromConfig(config))
  })
  if (options.json) output.printJson({ topics })
  else output.print(formatListed(topics, output.paint))
  return exitCodes.ok
}

import { historyConfig } from '@dropbell/schemas/history/history-config'
import { applyHistoryIndices } from '@dropbell/schemas/history/history-indices'
import { indexConfig } from '@dropbell/schemas/index-config'
import { applyIndexTemplates, createMissingIndices } from '@dropbell/schemas/index-templates'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import type { Command } from 'commander'
import { elasticsearchOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly elasticsearch?: string
}

const schema = defineConfig(elasticsearchConfig, indexConfig, historyConfig)

export const addIndicesApply = (indices: Command, run: RunCommand): void => {
  indices
    .command('apply')
    .description(
      'Put our index templates in place, those of the notification history too, and create the indices that are missing. Existing indices of other teams keep their layout, and other layouts work too; those of the history learn of new fields. Running it again changes nothing.',
    )
    .addOption(elasticsearchOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell indices apply
  $ dropbell indices apply --elasticsearch https://search.example.com:9200
  $ USER_BEHAVIOR_INDEX=behaviours PRODUCT_INDEX=products dropbell indices apply
  $ NOTIFICATION_HISTORY_INDEX=history dropbell indices apply`,
    )
    .action(run(executeIndicesApply))
}

const executeIndicesApply: Execute<Options> = async ({ env, output, signal }, options) => {
  const config = loadConfig(schema, withFlags(env, { ELASTICSEARCH_URL: options.elasticsearch }))
  const elasticsearch = createElasticsearch({ config, service: 'dropbell-cli' })
  const apply = async (): Promise<void> => {
    await applyIndexTemplates(elasticsearch.client, config)
    await createMissingIndices(elasticsearch.client, config)
    await applyHistoryIndices(elasticsearch.client, config.NOTIFICATION_HISTORY_INDEX)
  }
  output.progress('Applying the index templates …')
  try {
    await untilInterrupted(signal, apply())
  } finally {
    await elasticsearch.close()
  }
  const { USER_BEHAVIOR_INDEX: behaviors, PRODUCT_INDEX: products, NOTIFICATION_HISTORY_INDEX: history } = config
  output.print(`The templates and indices of ${behaviors}, ${products} and ${history} are in place.`)
  return exitCodes.ok
}

import { assertHistoryTemplate } from '@dropbell/schemas/history/history-indices'
import { openRegistry } from '@dropbell/schemas/open-registry'
import { createElasticsearch } from '@dropbell/shared/elasticsearch'
import { createKafka } from '@dropbell/shared/kafka/connect'
import type { Logger } from '@dropbell/shared/log'
import type { Probe } from '@dropbell/shared/probe'
import type { Shutdown } from '@dropbell/shared/shutdown'
import type { HistoryIndexerConfig } from './service-config.ts'

interface EngineOptions {
  config: HistoryIndexerConfig
  log: Logger
  service: string
}

/** Nothing is connected yet when this returns; each is closed by the shutdown, after what uses it. */
export const connectEngines = (options: EngineOptions, shutdown: Shutdown) => {
  const kafka = createKafka(options)
  shutdown.add('kafka', kafka.close)
  const elasticsearch = createElasticsearch(options)
  shutdown.add('elasticsearch', elasticsearch.close)
  const schemaRegistry = openRegistry(options.config)

  /** By the names under which errors speak of them. */
  const probes: Record<string, Probe> = {
    kafka: kafka.probe,
    'schema-registry': schemaRegistry.probe,
    // A cluster in good health may still lack what the index of a new month is made from.
    elasticsearch: async () => {
      await elasticsearch.probe()
      await assertHistoryTemplate(elasticsearch.client, options.config.NOTIFICATION_HISTORY_INDEX)
    },
  }
  return { kafka: kafka.client, elasticsearch: elasticsearch.client, schemaRegistry: schemaRegistry.client, probes }
}

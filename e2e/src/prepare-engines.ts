import { topicsConfig } from '@dropbell/cli/config'
import { applyTopics } from '@dropbell/cli/topics/apply-topics'
import { planFromConfig } from '@dropbell/cli/topics/plan-from-config'
import { migrate } from '@dropbell/database/migrate'
import { historyConfig } from '@dropbell/schemas/history/history-config'
import { applyHistoryIndices } from '@dropbell/schemas/history/history-indices'
import { indexConfig } from '@dropbell/schemas/index-config'
import { applyIndexTemplates, createMissingIndices } from '@dropbell/schemas/index-templates'
import { openRegistry } from '@dropbell/schemas/open-registry'
import { registerSchemas } from '@dropbell/schemas/register'
import { defineConfig, type Environment, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import type { Logger } from '@dropbell/shared/log'
import type { connectToStack } from './connect-to-stack.ts'

const schema = defineConfig(topicsConfig, dlqConfig, schemaRegistryConfig, indexConfig, historyConfig)

/** What the init job of the Compose file does. */
export const prepareEngines = async (
  engines: ReturnType<typeof connectToStack>,
  env: Environment,
  log: Logger,
): Promise<{ topics: number; subjects: number; migrations: number }> => {
  const config = loadConfig(schema, env)
  const admin = engines.kafka.client.admin()
  await admin.connect()
  try {
    const plan = planFromConfig(config)
    await applyTopics(admin, plan, { dryRun: false, onProgress: () => {} })
    const subjects = await registerSchemas(openRegistry(config).client)
    const applied = await migrate({ connection: { connectionString: env.DATABASE_URL as string }, log })
    await applyIndexTemplates(engines.elasticsearch.client, config)
    await createMissingIndices(engines.elasticsearch.client, config)
    await applyHistoryIndices(engines.elasticsearch.client, config.NOTIFICATION_HISTORY_INDEX)
    return { topics: plan.length, subjects: subjects.length, migrations: applied.length }
  } finally {
    await admin.disconnect()
  }
}

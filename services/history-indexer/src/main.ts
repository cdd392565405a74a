import { runService } from '@dropbell/shared/run-service'
import { service, startApp } from './app.ts'
import { historyIndexerSchema } from './service-config.ts'

await runService({ service, schema: historyIndexerSchema, start: (context) => startApp(context) })

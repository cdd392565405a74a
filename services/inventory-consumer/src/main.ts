import { runService } from '@dropbell/shared/run-service'
import { service, startApp } from './app.ts'
import { inventoryConsumerSchema } from './service-config.ts'

await runService({ service, schema: inventoryConsumerSchema, start: startApp })

import { runService } from '@dropbell/shared/run-service'
import { service, startApp } from './app.ts'
import { recommendationSchedulerSchema } from './service-config.ts'

await runService({ service, schema: recommendationSchedulerSchema, start: startApp })

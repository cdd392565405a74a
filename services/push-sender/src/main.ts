import { runService } from '@dropbell/shared/run-service'
import { service, startApp } from './app.ts'
import { pushSenderSchema } from './service-config.ts'

await runService({ service, schema: pushSenderSchema, start: (context) => startApp(context) })

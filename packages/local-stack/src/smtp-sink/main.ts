import { portOf } from '../simulator/port-of.ts'
import { startSmtpSink } from './start-smtp-sink.ts'

/** The sink as a process of its own. Says `ready` on stdout once it answers. */
const host = process.env.SMTP_SINK_HOST || '127.0.0.1'
const ports = { port: portOf('SMTP_SINK_PORT'), controlPort: portOf('SMTP_SINK_CONTROL_PORT') }
const sink = await startSmtpSink({ host, ...ports })
process.stdout.write(`SMTP sink ready at ${sink.url}, to be read at ${sink.controlUrl}\n`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => sink.stop())

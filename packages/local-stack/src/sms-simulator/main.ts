import { portOf } from '../simulator/port-of.ts'
import { startSmsSimulator } from './start-sms-simulator.ts'

/** The simulator as a process of its own. Says `ready` on stdout once it answers. */
const host = process.env.SMS_SIMULATOR_HOST || '127.0.0.1'
const simulator = await startSmsSimulator({ host, port: portOf('SMS_SIMULATOR_PORT') })
process.stdout.write(`SMS simulator ready at ${simulator.url}\n`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => simulator.stop())

import process from 'node:process'
import { createLogger } from '../log.ts'
import { connectEngines } from './connect-engines.ts'

/** A whole process for connections.int.test.ts: it ends by itself only if closing leaves nothing open. */
const engines = Object.entries(
  connectEngines({ env: process.env, log: createLogger({ level: 'warn', service: 'test' }) }),
)
await Promise.all(engines.map(([, { probe }]) => probe()))
await Promise.all(engines.map(([, { close }]) => close()))
process.stdout.write('closed\n')

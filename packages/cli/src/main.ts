#!/usr/bin/env node
import { createRequire } from 'node:module'
import { hostname, userInfo } from 'node:os'
import { fileURLToPath } from 'node:url'
import { exitCodes } from './exit-codes.ts'
import { createOutput } from './output.ts'
import { runProgram } from './program.ts'

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

// The folder is beside the code of packages/schemas, be it the source of a checkout or the build in an image.
const avroFolder = fileURLToPath(new URL('../avro', import.meta.resolve('@dropbell/schemas/topics')))

/** In a container the user may have no name. */
const findOperator = (): string => {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first asks to clean up, the second insists.
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted)
    interruption.abort()
  })
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.ok)
})

const output = createOutput({ stdout: process.stdout, stderr: process.stderr, env: process.env })
const exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  output,
  signal: interruption.signal,
  operator: findOperator(),
  avroFolder,
  version,
})
// Clients that were given up on may still hold timers; nothing is left to wait for but what was written.
process.stdout.write('', () => process.exit(exitCode))

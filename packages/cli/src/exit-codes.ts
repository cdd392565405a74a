import { exitCodes as serviceExitCodes } from '@dropbell/shared/run-service'

/** What a script may rely on. Few on purpose: the message says the rest. */
export const exitCodes = {
  ok: 0,
  problemsFound: 1,
  usage: 2,
  unavailable: 3,
  nothingKnown: 4,
  internal: 70,
  invalidConfig: serviceExitCodes.invalidConfig,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const meanings: Record<keyof typeof exitCodes, string> = {
  ok: 'done, and all is in place',
  problemsFound:
    'problems found: drift, an incompatible schema, a change that was refused, dead letters left as they are',
  usage: 'the command line is wrong',
  unavailable: 'an engine cannot be reached, or denies access',
  nothingKnown: 'nothing is known of what was asked for',
  internal: 'something unforeseen; --debug shows where',
  invalidConfig: 'the configuration is not valid',
  interrupted: 'ended by Ctrl-C or SIGTERM; a replay has finished what was in flight',
}

export const describeExitCodes = (): string => {
  const lines = Object.entries(exitCodes).map(
    ([name, code]) => `  ${String(code).padEnd(4)} ${meanings[name as keyof typeof exitCodes]}`,
  )
  return `Exit codes:\n${lines.join('\n')}`
}

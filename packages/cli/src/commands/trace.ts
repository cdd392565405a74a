import { createTraceSources } from '@dropbell/trace/create-trace-sources'
import type { Question } from '@dropbell/trace/trace'
import { createTracer } from '@dropbell/trace/tracer'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import {
  brokersOption,
  databaseOption,
  elasticsearchOption,
  jsonOption,
  redisOption,
  registryOption,
} from '../config-option.ts'
import { parseMoment } from '../dlq/parse-moment.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Execute, RunCommand } from '../session.ts'
import { formatTrace } from '../trace/format-trace.ts'
import { type EngineFlags, withTraceEngines } from '../trace/with-trace-engines.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { wholeNumber } from '../whole-number.ts'

interface Options extends EngineFlags {
  readonly event?: string
  readonly notification?: string
  readonly user?: string
  readonly product?: string
  readonly since?: number
  readonly limit: number
  readonly scanRecords: number
  readonly json?: boolean
}

const dayMs = 86_400_000

export const addTrace = (program: Command, run: RunCommand): void => {
  program
    .command('trace')
    .description(
      'Why a user was told, or was not: the way of an event to a user as a timeline, from the history, the ledger, Redis ' +
        'and Kafka, whichever still knows. Only reads, and says what is no longer known. Ends with 4 if nothing is.',
    )
    .option('--notification <id>', 'one notification')
    .option('--event <id>', 'all that became of an event; with --user, of this user alone')
    .option('--user <id>', 'what a user was told and refused of late')
    .option('--product <id>', 'with --user: of this product alone, and its events that came to nothing')
    .addOption(
      new Option(
        '--since <moment>',
        'how far back to look where the time of the event is not known, such as 2h or 2026-01-15 (default: 24h)',
      ).argParser(momentBefore),
    )
    .addOption(new Option('--limit <ways>', 'most ways to show').default(20).argParser(wholeNumber(1, 1_000)))
    .addOption(
      new Option('--scan-records <records>', 'most records of a topic to look through, the newest')
        .default(200_000)
        .argParser(wholeNumber(1, 1_000_000_000)),
    )
    .addOption(brokersOption())
    .addOption(registryOption())
    .addOption(redisOption())
    .addOption(elasticsearchOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell trace --user user-1 --product P-1
  $ dropbell trace --notification 5f0c3c9e-8a53-5c1e-9a53-0b2f6f7e8f0a --json
  $ dropbell trace --event evt-1 --limit 5
  $ dropbell trace --event evt-1 --user user-1 --since 3d`,
    )
    .action(run(executeTrace))
}

const momentBefore = (text: string): number => {
  const moment = parseMoment(text, Date.now())
  if (moment !== undefined) return moment
  throw new InvalidArgumentError('Expected how long ago, such as 30m, 2h or 3d, or a date and time.')
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const questionOf = ({ notification, event, user, product }: Options): Question => {
  if (notification !== undefined) {
    if (event !== undefined || user !== undefined || product !== undefined)
      throw wrongUse('--notification stands alone.')
    if (!uuid.test(notification)) throw wrongUse(`A notification has a UUID, and ${notification} is none.`)
    return { kind: 'notification', notificationId: notification.toLowerCase() }
  }
  if (product !== undefined && (user === undefined || event !== undefined)) {
    throw wrongUse('--product goes with --user, and without --event.')
  }
  if (event !== undefined) {
    return user === undefined
      ? { kind: 'event', eventId: event }
      : { kind: 'event-and-user', eventId: event, userId: user }
  }
  if (user !== undefined) return { kind: 'user', userId: user, productId: product ?? null }
  throw wrongUse('Say what to look for: --notification, --event or --user.')
}

const wrongUse = (message: string): CliError =>
  new CliError({ code: 'WRONG_USE', message, hint: 'See dropbell trace --help.', exitCode: exitCodes.usage })

const executeTrace: Execute<Options> = async (session, options) => {
  const { output, signal } = session
  const question = questionOf(options)
  const { since = Date.now() - dayMs, limit, scanRecords: mostRecords } = options
  const onProgress = (topic: string, looked: number, of: number): void =>
    output.progress(`Looking through ${topic}: ${looked} of ${of} records …`)
  const trace = await withTraceEngines(session, options, (engines, config) => {
    const rules = { priceDropThreshold: config.PRICE_DROP_THRESHOLD }
    const sources = createTraceSources(engines, { config, mostRecords, onProgress })
    output.progress('Asking the history and the ledger …')
    return untilInterrupted(signal, createTracer({ sources, rules })({ question, since, limit }))
  })
  if (options.json) output.printJson(trace)
  else output.print(formatTrace(trace, output.paint))
  return trace.found ? exitCodes.ok : exitCodes.nothingKnown
}

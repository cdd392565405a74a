import { createLogger } from '@dropbell/shared/log'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import { Command } from 'commander'
import { addDbMigrate } from './commands/db-migrate.ts'
import { addDbPrune } from './commands/db-prune.ts'
import { addDlqDismiss } from './commands/dlq-dismiss.ts'
import { addDlqList } from './commands/dlq-list.ts'
import { addDlqReplay } from './commands/dlq-replay.ts'
import { addDlqRuns } from './commands/dlq-runs.ts'
import { addDlqShow } from './commands/dlq-show.ts'
import { addDlqTopics } from './commands/dlq-topics.ts'
import { addIndicesApply } from './commands/indices-apply.ts'
import { addRecommendationsRun } from './commands/recommendations-run.ts'
import { addRecommendationsStatus } from './commands/recommendations-status.ts'
import { addSchemasCheck } from './commands/schemas-check.ts'
import { addSchemasList } from './commands/schemas-list.ts'
import { addSchemasRegister } from './commands/schemas-register.ts'
import { addTopicsApply } from './commands/topics-apply.ts'
import { addTopicsList } from './commands/topics-list.ts'
import { addTrace } from './commands/trace.ts'
import { describeExitCodes, type ExitCode, exitCodes } from './exit-codes.ts'
import { explainFailure } from './explain-failure.ts'
import { printableLines } from './printable.ts'
import type { RunCommand, Session } from './session.ts'

/** What a session is made of before the command line is read. */
export interface ProgramContext extends Omit<Session, 'log'> {
  readonly version: string
}

/** Runs one command line to its end. Never rejects. */
export const runProgram = async (args: readonly string[], context: ProgramContext): Promise<ExitCode> => {
  const { output } = context
  let exitCode: ExitCode = exitCodes.ok
  const isDebugging = (): boolean => program.opts<{ debug?: boolean }>().debug === true
  const run: RunCommand = (execute) => async (options) => {
    const level = isDebugging() ? 'debug' : 'silent'
    const log = createLogger({
      level,
      service: 'dropbell',
      destination: { write: (line) => output.warn(printableLines(line.trimEnd())) },
    })
    exitCode = await execute({ ...context, log }, options)
  }
  const program = createProgram(context, run)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    const failure = explainFailure(error, { debug: isDebugging() })
    for (const line of failure.lines) output.warn(printableLines(redactCredentials(line)))
    return failure.exitCode
  }
}

export const createProgram = ({ version, output }: ProgramContext, run: RunCommand): Command => {
  const program = new Command('dropbell')
    .description('Operate Dropbell: its contracts, topics, tables, indices, dead letters and batches.')
    .version(version)
    .option('--debug', 'say what the clients do, and show stack traces')
    .configureHelp({ showGlobalOptions: true })
    // Commands inherit these two, so they come first.
    .configureOutput({
      writeOut: (text) => output.print(text.trimEnd()),
      writeErr: (text) => output.warn(text.trimEnd()),
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Configured by the variables of the services (docs/configuration.md), e.g. KAFKA_BROKERS and SCHEMA_REGISTRY_URL; a flag
goes before its variable. Logins and TLS are set by variables alone.

Examples:
  $ dropbell topics apply
  $ dropbell schemas register --registry http://localhost:8081
  $ dropbell schemas check --help
  $ dropbell trace --user user-1 --product P-1

${describeExitCodes()}`,
    )

  const schemas = program
    .command('schemas')
    .description('The Avro contracts and their registry.')
    .addHelpText('after', '\nExamples:\n  $ dropbell schemas check\n  $ dropbell schemas list --json')
  addSchemasCheck(schemas, run)
  addSchemasRegister(schemas, run)
  addSchemasList(schemas, run)

  const topics = program
    .command('topics')
    .description('The Kafka topics.')
    .addHelpText('after', '\nExamples:\n  $ dropbell topics apply --dry-run\n  $ dropbell topics list --json')
  addTopicsApply(topics, run)
  addTopicsList(topics, run)

  const dlq = program
    .command('dlq')
    .description('The dead letters: see why, and put it right.')
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell dlq topics
  $ dropbell dlq list product.inventory.v1.dlq --since 2h
  $ dropbell dlq replay product.inventory.v1.dlq --reason PRODUCT_STATE_UNAVAILABLE --yes`,
    )
  addDlqTopics(dlq, run)
  addDlqList(dlq, run)
  addDlqShow(dlq, run)
  addDlqReplay(dlq, run)
  addDlqDismiss(dlq, run)
  addDlqRuns(dlq, run)

  const db = program
    .command('db')
    .description('The Postgres tables.')
    .addHelpText('after', '\nExamples:\n  $ dropbell db migrate\n  $ dropbell db prune --keep-days 7')
  addDbMigrate(db, run)
  addDbPrune(db, run)

  const indices = program
    .command('indices')
    .description('The Elasticsearch indices that other teams fill.')
    .addHelpText('after', '\nExamples:\n  $ dropbell indices apply')
  addIndicesApply(indices, run)

  const recommendations = program
    .command('recommendations')
    .description('The daily recommendations.')
    .addHelpText('after', '\nExamples:\n  $ dropbell recommendations run\n  $ dropbell recommendations status --json')
  addRecommendationsRun(recommendations, run)
  addRecommendationsStatus(recommendations, run)

  addTrace(program, run)

  return program
}

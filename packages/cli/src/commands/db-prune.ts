import { assertMigrated } from '@dropbell/database/assert-migrated'
import { type Pruned, pruneSettled } from '@dropbell/database/ledger/prune-settled'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { createPostgres } from '@dropbell/shared/postgres'
import { type Command, Option } from 'commander'
import { databaseOption, jsonOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { wholeNumber } from '../whole-number.ts'

interface Options {
  readonly database?: string
  readonly json?: boolean
  readonly keepDays: number
  readonly batchSize: number
}

const schema = defineConfig(postgresConfig)

export const addDbPrune = (db: Command, run: RunCommand): void => {
  db.command('prune')
    .description(
      'Delete notifications and their deliveries that expired long ago, are settled, and whose outcome is published. ' +
        'In small batches; it can be stopped at any time.',
    )
    .addOption(databaseOption())
    .addOption(
      new Option('--keep-days <days>', 'how long after its expiry a notification stays, in the inbox too; 1 or more')
        .default(30)
        .argParser(wholeNumber(1, 3_650)),
    )
    .addOption(
      new Option('--batch-size <rows>', 'notifications deleted at once')
        .default(1_000)
        .argParser(wholeNumber(1, 10_000)),
    )
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ dropbell db prune\n  $ dropbell db prune --keep-days 7 --json')
    .action(run(executeDbPrune))
}

const executeDbPrune: Execute<Options> = async ({ env, output, log, signal }, options) => {
  const config = loadConfig(schema, withFlags(env, { DATABASE_URL: options.database }))
  const postgres = createPostgres({ config, log, service: 'dropbell-cli' })
  const { keepDays, batchSize } = options
  const gone = { notifications: 0, deliveries: 0 }
  try {
    await untilInterrupted(signal, assertMigrated(postgres.client))
    let last: Pruned
    do {
      last = await untilInterrupted(signal, pruneSettled(postgres.client, { keepDays, batchSize, now: Date.now() }))
      gone.notifications += last.notifications
      gone.deliveries += last.deliveries
      output.progress(`${gone.notifications} notifications deleted …`)
    } while (last.notifications === batchSize)
  } finally {
    await postgres.close()
  }
  if (options.json) output.printJson(gone)
  else output.print(`Deleted ${gone.notifications} notifications and ${gone.deliveries} deliveries.`)
  return exitCodes.ok
}

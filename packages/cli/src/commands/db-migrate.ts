import { migrate } from '@dropbell/database/migrate'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { postgresSettings } from '@dropbell/shared/postgres'
import type { Command } from 'commander'
import { databaseOption, jsonOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly database?: string
  readonly json?: boolean
}

const schema = defineConfig(postgresConfig)

export const addDbMigrate = (db: Command, run: RunCommand): void => {
  db.command('migrate')
    .description(
      'Bring the tables up to date, all or nothing. Running it again, or twice at once, changes nothing more.',
    )
    .addOption(databaseOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell db migrate
  $ dropbell db migrate --database postgres://dropbell@db.example.com/dropbell
  $ DATABASE_SSL=verify-full DATABASE_CA_FILE=/etc/ssl/db.pem dropbell db migrate`,
    )
    .action(run(executeDbMigrate))
}

const executeDbMigrate: Execute<Options> = async ({ env, output, log, signal }, options) => {
  const config = loadConfig(schema, withFlags(env, { DATABASE_URL: options.database }))
  output.progress('Migrating the database …')
  const connection = postgresSettings({ config, service: 'dropbell-cli' })
  const applied = await untilInterrupted(signal, migrate({ connection, log }))
  if (options.json) output.printJson({ applied })
  else if (applied.length === 0) output.print('The database is up to date.')
  else output.print(`Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`)
  return exitCodes.ok
}

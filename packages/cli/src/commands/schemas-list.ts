import { TOPICS } from '@dropbell/schemas/topics'
import type { Command } from 'commander'
import { jsonOption, registryOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { formatSubjects } from '../schemas/format-subjects.ts'
import { listSubjects } from '../schemas/list-subjects.ts'
import { openRegistryOf } from '../schemas/open-registry.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly registry?: string
  readonly json?: boolean
}

export const addSchemasList = (schemas: Command, run: RunCommand): void => {
  schemas
    .command('list')
    .description(
      'Show our subjects: their versions and ids, what the registry has of them, and its compatibility level.',
    )
    .addOption(registryOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell schemas list
  $ dropbell schemas list --registry http://localhost:8081 --json`,
    )
    .action(run(executeSchemasList))
}

const executeSchemasList: Execute<Options> = async ({ env, output, signal }, options) => {
  const { client, address } = openRegistryOf(withFlags(env, { SCHEMA_REGISTRY_URL: options.registry }))
  output.progress(`Asking ${address} …`)
  const subjects = await untilInterrupted(signal, listSubjects(client, TOPICS))
  if (options.json) output.printJson({ registry: address, subjects })
  else output.print(formatSubjects(subjects, address, output.paint))
  return exitCodes.ok
}

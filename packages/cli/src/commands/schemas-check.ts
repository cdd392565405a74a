import { checkRegistry } from '@dropbell/schemas/registry-check'
import { TOPICS } from '@dropbell/schemas/topics'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { jsonOption, optionalRegistryOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { findHistoryFaults } from '../schemas/check-history.ts'
import { formatCheck } from '../schemas/format-check.ts'
import { isRegistryGiven, openRegistryOf } from '../schemas/open-registry.ts'
import { readWorkingTree } from '../schemas/read-working-tree.ts'
import { summariseChecks, withSchemasOf } from '../schemas/summarise-checks.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly registry?: string
  readonly json?: boolean
}

export const addSchemasCheck = (schemas: Command, run: RunCommand): void => {
  schemas
    .command('check')
    .description(
      'Compare the schemas of the working tree (in an image: those built in) with the committed history and, if one is given, with a registry. Changes nothing. Exits with 1 if anything is incompatible.',
    )
    .addOption(optionalRegistryOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell schemas check
  $ dropbell schemas check --registry http://localhost:8081
  $ dropbell schemas check --json | jq '.subjects[] | select(.history == "broken")'`,
    )
    .action(run(executeSchemasCheck))
}

const executeSchemasCheck: Execute<Options> = async ({ env, output, signal, avroFolder }, options) => {
  const { source, topics, historyFaults } = await checkWorkingTree(avroFolder)
  const given = withFlags(env, { SCHEMA_REGISTRY_URL: options.registry })
  const registry = isRegistryGiven(given) ? openRegistryOf(given) : undefined
  if (registry !== undefined) output.progress(`Asking ${registry.address} …`)
  const check = summariseChecks({
    source,
    topics,
    historyFaults,
    registry: registry && {
      address: registry.address,
      subjects: await untilInterrupted(signal, checkRegistry(registry.client, topics)),
    },
  })

  if (options.json) output.printJson(check)
  else output.print(formatCheck(check, output.paint))
  return check.ok ? exitCodes.ok : exitCodes.problemsFound
}

const checkWorkingTree = async (avroFolder: string) => {
  const embedded = TOPICS.map(({ contract }) => contract)
  try {
    const { source, files, lock } = await readWorkingTree(avroFolder, embedded)
    const historyFaults = findHistoryFaults({ files, lock, embedded })
    return { source, topics: withSchemasOf(TOPICS, files), historyFaults }
  } catch (cause) {
    // A file that is no JSON or no Avro is what a check is there to find.
    throw new CliError({
      code: 'SCHEMAS_UNREADABLE',
      message: `The schemas in ${avroFolder} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
      hint: 'Put the file right and check again.',
      exitCode: exitCodes.problemsFound,
      cause,
    })
  }
}

import { TOPICS } from '@dropbell/schemas/topics'
import type { Command } from 'commander'
import { jsonOption, registryOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { formatRegistered } from '../schemas/format-registered.ts'
import { openRegistryOf } from '../schemas/open-registry.ts'
import { registerSubjects } from '../schemas/register-subjects.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly registry?: string
  readonly json?: boolean
}

export const addSchemasRegister = (schemas: Command, run: RunCommand): void => {
  schemas
    .command('register')
    .description(
      'Register every version of every subject, oldest first. Running it again changes nothing. Exits with 1 if the registry refuses one.',
    )
    .addOption(registryOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell schemas register
  $ dropbell schemas register --registry https://registry.example.com
  $ SCHEMA_REGISTRY_USERNAME=ci SCHEMA_REGISTRY_PASSWORD=… dropbell schemas register`,
    )
    .action(run(executeSchemasRegister))
}

const executeSchemasRegister: Execute<Options> = async ({ env, output, signal }, options) => {
  const { client, address } = openRegistryOf(withFlags(env, { SCHEMA_REGISTRY_URL: options.registry }))
  const registering = registerSubjects(client, TOPICS, (subject) => output.progress(`Registering ${subject} …`))
  const subjects = await untilInterrupted(signal, registering)
  if (options.json) output.printJson({ registry: address, subjects })
  else output.print(formatRegistered(subjects, address, output.paint))
  return subjects.every(({ refused }) => refused === null) ? exitCodes.ok : exitCodes.problemsFound
}

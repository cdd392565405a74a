import { noMarks } from '@dropbell/dead-letters/marks'
import { type ScannedLetter, scan } from '@dropbell/dead-letters/scan'
import { type Place, rangesOf } from '@dropbell/dead-letters/selection'
import { type DescribedValue, describeValue } from '@dropbell/schemas/describe-value'
import { openRegistry } from '@dropbell/schemas/open-registry'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { TransientError } from '@dropbell/shared/errors'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { brokersOption, jsonOption, registryOption } from '../config-option.ts'
import { describeLetter } from '../dlq/describe-letter.ts'
import { requireDlqTopic } from '../dlq/find-dlq-topics.ts'
import { formatLetter } from '../dlq/format-letter.ts'
import { readDone } from '../dlq/read-marks.ts'
import { parsePlace } from '../dlq/selection-options.ts'
import { type DlqClients, withDlq } from '../dlq/with-dlq.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'

interface Options {
  readonly topic: string
  readonly place: Place
  readonly brokers?: string
  readonly registry?: string
  readonly json?: boolean
}

const registrySchema = defineConfig(schemaRegistryConfig)

export const addDlqShow = (dlq: Command, run: RunCommand): void => {
  dlq
    .command('show')
    .description('One dead letter: why, where it came from, its headers, its payload and the stack.')
    .argument('<topic>', 'topic of dead letters')
    .argument('<partition:offset>', 'its place there, as `dropbell dlq list` shows it', parsePlace)
    .addOption(brokersOption())
    .addOption(registryOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The payload is decoded with the schema registry; where that is not possible its bytes are shown.

Examples:
  $ dropbell dlq show product.inventory.v1.dlq 3:17
  $ dropbell dlq show product.inventory.v1.dlq 3:17 --json | jq .payload`,
    )
    .action((topic: string, place: Place, options: Omit<Options, 'topic' | 'place'>) =>
      run(executeDlqShow)({ ...options, topic, place }),
    )
}

const executeDlqShow: Execute<Options> = async (session, { topic, place, ...options }) => {
  const { env, output } = session
  const registry = openRegistry(loadConfig(registrySchema, withFlags(env, { SCHEMA_REGISTRY_URL: options.registry })))
  const described = await withDlq(session, options, async (clients) => {
    const found = await findLetter(clients, output, topic, place)
    const payload = await describeValue(registry.client, found.letter.value).catch((error): DescribedValue => {
      if (!(error instanceof TransientError)) throw error
      return { kind: 'bytes', why: `the registry cannot be asked: ${error.message}` }
    })
    return describeLetter(found, payload)
  })
  if (options.json) output.printJson(described)
  else output.print(formatLetter(described, output.paint))
  return exitCodes.ok
}

const findLetter = async (
  { reader, admin, suffix }: DlqClients,
  output: Output,
  topic: string,
  place: Place,
): Promise<ScannedLetter> => {
  const extent = await requireDlqTopic({ reader, admin }, topic, suffix)
  const { marks } = await readDone(reader, output, { topic })
  const selection = { places: [place] }
  const ranges = await rangesOf(reader, topic, extent, selection)
  for await (const { letters } of scan({ reader, topic, ranges, selection, marks: marks.get(topic) ?? noMarks })) {
    if (letters[0] !== undefined) return letters[0]
  }
  const partition = extent.find((each) => each.partition === place.partition)
  const range = partition && `partition ${place.partition} holds ${partition.from} up to ${partition.until - 1}`
  throw new CliError({
    code: 'NO_SUCH_LETTER',
    message: `There is no record at ${place.partition}:${place.offset} of ${topic}.`,
    hint: range ?? `It has the partitions 0 to ${extent.length - 1}.`,
    exitCode: exitCodes.problemsFound,
  })
}

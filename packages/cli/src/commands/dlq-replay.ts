import { isQuarantineName } from '@dropbell/dead-letters/dlq-names'
import type { Place } from '@dropbell/dead-letters/selection'
import { treatByReplay } from '@dropbell/dead-letters/treatment'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { dlqConfig } from '@dropbell/shared/config/dlq'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { brokersOption, jsonOption } from '../config-option.ts'
import { executeTreatment } from '../dlq/execute-treatment.ts'
import { addRunOptions, noteOptions, type RunOptions, toCommandLine } from '../dlq/run-options.ts'
import { addSelectionOptions, toPlaces, toSelection } from '../dlq/selection-options.ts'
import type { Execute, RunCommand } from '../session.ts'
import { wholeNumber } from '../whole-number.ts'

interface Options extends RunOptions {
  readonly topic: string
  readonly places: readonly Place[]
  readonly to?: string
  readonly rate?: number
  readonly maxReplays: number
}

const defaultMaxReplays = 3

const dlqSchema = defineConfig(dlqConfig)

export const addDlqReplay = (dlq: Command, run: RunCommand): void => {
  const replay = dlq
    .command('replay')
    .description(
      'Put dead letters back where they came from: key, value and headers as they were. A dry run, unless --yes is given. ' +
        'It can be stopped or killed at any time, and goes on exactly where it stopped: with the command that it names when it ' +
        'begins and when it is stopped, in which `--since 2h` is the time that it was.',
    )
    .argument('<topic>', 'topic of dead letters')
    .argument('[partition:offset...]', 'only these, as `dropbell dlq list` shows them', toPlaces)
    .addOption(
      new Option('--to <topic>', 'another topic than the original one').argParser((text) => {
        if (/^[\w.-]{1,249}$/.test(text)) return text
        throw new InvalidArgumentError("Expected a topic's name.")
      }),
    )
    .addOption(new Option('--rate <number>', 'records a second at the most').argParser(wholeNumber(1, 1_000_000)))
    .addOption(
      new Option('--max-replays <number>', 'one that was put back so often goes to <topic>.quarantine instead')
        .default(defaultMaxReplays)
        .argParser(wholeNumber(1, 1_000_000)),
    )
  addRunOptions(addSelectionOptions(replay))
    .addOption(brokersOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell dlq replay product.inventory.v1.dlq --reason PRODUCT_STATE_UNAVAILABLE
  $ dropbell dlq replay product.inventory.v1.dlq --reason PRODUCT_STATE_UNAVAILABLE --rate 200 --yes
  $ dropbell dlq replay product.inventory.v1.dlq 3:17 3:18 --yes
  $ dropbell dlq replay orders.dlq --to orders.retry --since 2h --yes`,
    )
    .action((topic: string, places: Place[] | undefined, options: Omit<Options, 'topic' | 'places'>) =>
      run(executeDlqReplay)({ ...options, topic, places: places ?? [] }),
    )
}

const executeDlqReplay: Execute<Options> = (session, { topic, places, to, rate, maxReplays, ...options }) => {
  const { DLQ_TOPIC_SUFFIX: suffix } = loadConfig(dlqSchema, session.env)
  const selection = toSelection(options, places)
  return executeTreatment(session, options, {
    command: 'replay',
    topic,
    selection,
    again: options.again === true,
    by: options.as ?? session.operator,
    treat: treatByReplay({
      maxReplays,
      fromQuarantine: isQuarantineName(topic, suffix),
      ...(to !== undefined && { to }),
    }),
    ...(rate !== undefined && { rate }),
    ...(to !== undefined && { to }),
    noted: noteOptions(selection, { to, rate, 'max-replays': maxReplays, again: options.again }),
    commandLine: toCommandLine('replay', topic, selection, {
      ...{ to, rate, 'max-replays': maxReplays === defaultMaxReplays ? undefined : maxReplays },
      ...{ again: options.again, as: options.as, brokers: options.brokers },
    }),
  })
}

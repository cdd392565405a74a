import { type Command, Option } from 'commander'
import { brokersOption, jsonOption } from '../config-option.ts'
import { listLetters } from '../dlq/list-letters.ts'
import { addSelectionOptions, type SelectionOptions, toSelection } from '../dlq/selection-options.ts'
import { withDlq } from '../dlq/with-dlq.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Execute, RunCommand } from '../session.ts'
import { wholeNumber } from '../whole-number.ts'

interface Options extends SelectionOptions {
  readonly topic: string
  readonly brokers?: string
  readonly limit: number
  readonly all?: boolean
  readonly json?: boolean
}

export const addDlqList = (dlq: Command, run: RunCommand): void => {
  const list = dlq
    .command('list')
    .description('The dead letters of a topic that nobody has dealt with, the newest first.')
    .argument('<topic>', 'topic of dead letters')
    .addOption(
      new Option('--limit <number>', 'how many to show; 0 for all, in the order of the topic')
        .default(50)
        .argParser(wholeNumber(0, 1_000_000)),
    )
    .option('--all', 'also those that were dealt with, and how')
  addSelectionOptions(list)
    .addOption(brokersOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell dlq list product.inventory.v1.dlq
  $ dropbell dlq list product.inventory.v1.dlq --since 2h --reason PRODUCT_STATE_UNAVAILABLE
  $ dropbell dlq list product.inventory.v1.dlq --limit 0 --json > letters.json`,
    )
    .action((topic: string, options: Omit<Options, 'topic'>) => run(executeDlqList)({ ...options, topic }))
}

const executeDlqList: Execute<Options> = async (session, { topic, limit, all = false, json = false, ...options }) => {
  const selection = toSelection(options)
  await withDlq(session, options, (clients) =>
    listLetters(clients, session.output, { topic, selection, limit, all, json }),
  )
  return exitCodes.ok
}

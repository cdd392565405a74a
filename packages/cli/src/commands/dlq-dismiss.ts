import type { Place } from '@dropbell/dead-letters/selection'
import { treatByDismissal } from '@dropbell/dead-letters/treatment'
import type { Command } from 'commander'
import { brokersOption, jsonOption } from '../config-option.ts'
import { executeTreatment } from '../dlq/execute-treatment.ts'
import { addRunOptions, noteOptions, type RunOptions, toCommandLine } from '../dlq/run-options.ts'
import { addSelectionOptions, toPlaces, toSelection } from '../dlq/selection-options.ts'
import type { Execute, RunCommand } from '../session.ts'

interface Options extends RunOptions {
  readonly topic: string
  readonly places: readonly Place[]
}

export const addDlqDismiss = (dlq: Command, run: RunCommand): void => {
  const dismiss = dlq
    .command('dismiss')
    .description(
      'Mark dead letters as dealt with, so that nobody has to look at them again. Nothing is deleted. A dry run, unless ' +
        '--yes is given.',
    )
    .argument('<topic>', 'topic of dead letters')
    .argument('[partition:offset...]', 'only these, as `dropbell dlq list` shows them', toPlaces)
  addRunOptions(addSelectionOptions(dismiss))
    .addOption(brokersOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ dropbell dlq dismiss product.inventory.v1.dlq --reason WRONG_MAGIC_BYTE --until 1d
  $ dropbell dlq dismiss product.inventory.v1.dlq 3:17 --yes --as ann@shop.example`,
    )
    .action((topic: string, places: Place[] | undefined, options: Omit<Options, 'topic' | 'places'>) =>
      run(executeDlqDismiss)({ ...options, topic, places: places ?? [] }),
    )
}

const executeDlqDismiss: Execute<Options> = (session, { topic, places, ...options }) => {
  const selection = toSelection(options, places)
  return executeTreatment(session, options, {
    command: 'dismiss',
    topic,
    selection,
    again: options.again === true,
    by: options.as ?? session.operator,
    treat: treatByDismissal,
    noted: noteOptions(selection, { again: options.again }),
    commandLine: toCommandLine('dismiss', topic, selection, {
      ...{ again: options.again, as: options.as, brokers: options.brokers },
    }),
  })
}

import type { Selection } from '@dropbell/dead-letters/selection'
import type { Command } from 'commander'
import type { SelectionOptions } from './selection-options.ts'

export interface RunOptions extends SelectionOptions {
  readonly brokers?: string
  readonly yes?: boolean
  readonly again?: boolean
  readonly as?: string
  readonly json?: boolean
}

/** The same for every command that deals with dead letters. */
export const addRunOptions = (command: Command): Command =>
  command
    .option('--yes', 'do it; without, it is shown what would be done')
    .option('--again', 'also those that were dealt with before')
    .option('--as <name>', 'who does it, for `dropbell dlq runs`; the user and host of this process if left out')

/** What `dropbell dlq runs` shows: every filter and option that was given, by its flag. */
export const noteOptions = (selection: Selection, others: Record<string, unknown>): Record<string, unknown> => {
  const { since, until, reasons, keys, groups, partitions, places } = selection
  const noted = {
    since: since === undefined ? undefined : new Date(since).toISOString(),
    until: until === undefined ? undefined : new Date(until).toISOString(),
    reason: reasons,
    key: keys,
    group: groups,
    partition: partitions,
    places: places?.map(({ partition, offset }) => `${partition}:${offset}`).slice(0, 100),
    ...others,
  }
  return Object.fromEntries(Object.entries(noted).filter(([, value]) => value !== undefined))
}

import { placeText, type Selection } from '@dropbell/dead-letters/selection'
import type { Command } from 'commander'
import { printable } from '../printable.ts'
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
    .option('--yes', 'do it; without, it is shown what would be done, and the command that does exactly that')
    .option('--again', 'also those that were dealt with before')
    .option('--as <name>', 'who does it, for `dropbell dlq runs`; the user and host of this process if left out')

/** What `dropbell dlq runs` shows: every filter and option that was given, by its flag. */
export const noteOptions = (selection: Selection, others: Record<string, unknown>): Record<string, unknown> => {
  const places = selection.places?.map(placeText).slice(0, 100)
  return { ...filtersOf(selection), ...(places !== undefined && { places }), ...given(others) }
}

/**
 * To be run now or later, and it means the same: `--since 2h` has become a time. Whoever went on with the words of before
 * would leave out what has grown older meanwhile.
 */
export const toCommandLine = (
  command: string,
  topic: string,
  selection: Selection,
  others: Record<string, unknown>,
): string => {
  const flags = Object.entries({ ...filtersOf(selection), ...given(others) }).flatMap(([name, values]) =>
    [values].flat().map((value) => (value === true ? `--${name}` : `--${name} ${quote(String(value))}`)),
  )
  const places = (selection.places ?? []).map(placeText)
  return ['dropbell dlq', command, quote(topic), ...places, ...flags, '--yes'].join(' ')
}

const quote = (word: string): string =>
  /^[\w.:@%+=,/-]+$/.test(word) ? word : `'${printable(word).replaceAll("'", "'\\''")}'`

const given = (options: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

const filtersOf = ({ since, until, reasons, keys, groups, partitions }: Selection): Record<string, unknown> =>
  given({
    since: since === undefined ? undefined : new Date(since).toISOString(),
    until: until === undefined ? undefined : new Date(until).toISOString(),
    reason: reasons,
    key: keys,
    group: groups,
    partition: partitions,
  })

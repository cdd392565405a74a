import type { Place, Selection } from '@dropbell/dead-letters/selection'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseMoment } from './parse-moment.ts'

export interface SelectionOptions {
  readonly since?: number
  readonly until?: number
  readonly reason?: readonly string[]
  readonly key?: readonly string[]
  readonly group?: readonly string[]
  readonly partition?: readonly number[]
}

/** The same for every command that selects dead letters. */
export const addSelectionOptions = (command: Command): Command =>
  command
    .addOption(
      momentOption(
        '--since <when>',
        'given up at or after: a time (2026-11-18T09:00:00Z) or how long before now (30m, 2h, 7d)',
      ),
    )
    .addOption(momentOption('--until <when>', 'given up before: a time or how long before now'))
    .addOption(manyOption('--reason <name>', 'class of the error, or the last part of it; may be repeated'))
    .addOption(manyOption('--key <key>', 'key of the record; 0x… for bytes, null for none; may be repeated'))
    .addOption(manyOption('--group <id>', 'consumer group that gave it up; may be repeated'))
    .addOption(
      new Option('--partition <number>', 'partition of the topic of dead letters; may be repeated').argParser(
        (text: string, before: number[] | undefined) => [...(before ?? []), toWholeNumber(text)],
      ),
    )

const momentOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text) => {
    const moment = parseMoment(text, Date.now())
    if (moment === undefined)
      throw new InvalidArgumentError('Expected a time such as 2026-11-18T09:00:00Z, or 30m, 2h, 7d.')
    return moment
  })

const manyOption = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])

const toWholeNumber = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number.')
}

/** `3:17` is the record at offset 17 of partition 3. */
export const parsePlace = (text: string): Place => {
  const found = /^(\d{1,9}):(\d{1,15})$/.exec(text)
  if (found === null) throw new InvalidArgumentError('Expected <partition>:<offset>, e.g. 3:17.')
  return { partition: Number(found[1]), offset: Number(found[2]) }
}

export const toPlaces = (text: string, before: Place[] | undefined): Place[] => [...(before ?? []), parsePlace(text)]

export const toSelection = (options: SelectionOptions, places: readonly Place[] = []): Selection => ({
  ...(options.since !== undefined && { since: options.since }),
  ...(options.until !== undefined && { until: options.until }),
  ...(options.reason !== undefined && { reasons: options.reason }),
  ...(options.key !== undefined && { keys: options.key }),
  ...(options.group !== undefined && { groups: options.group }),
  ...(options.partition !== undefined && { partitions: options.partition }),
  ...(places.length > 0 && { places }),
})

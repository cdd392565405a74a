import { noMarks } from '@dropbell/dead-letters/marks'
import { scan } from '@dropbell/dead-letters/scan'
import { rangesOf, type Selection } from '@dropbell/dead-letters/selection'
import type { Output } from '../output.ts'
import { printableJson } from '../printable.ts'
import { requireDlqTopic } from './find-dlq-topics.ts'
import { formatCount } from './format-facts.ts'
import { formatHeader, formatLetters, formatLine } from './format-letters.ts'
import { createNewest, toListed } from './listed-letter.ts'
import { readDone } from './read-marks.ts'
import type { DlqClients } from './with-dlq.ts'

export interface ListOptions {
  readonly topic: string
  readonly selection: Selection
  /** 0 for no limit: then they are printed as they are read. */
  readonly limit: number
  /** Those that were dealt with too. */
  readonly all: boolean
  readonly json: boolean
}

export const listLetters = async (clients: DlqClients, output: Output, options: ListOptions): Promise<void> => {
  const { topic, selection, limit, all } = options
  const extent = await requireDlqTopic(clients, topic, clients.suffix)
  const marks = (await readDone(clients.reader, output, { topic })).marks.get(topic) ?? noMarks
  const ranges = await rangesOf(clients.reader, topic, extent, selection)
  const newest = createNewest(limit)
  const stream = limit === 0 ? openStream(output, options) : undefined
  let [looked, selected, done] = [0, 0, 0]
  for await (const part of scan({ reader: clients.reader, topic, ranges, selection, marks })) {
    for (const scanned of part.letters) {
      if (scanned.mark !== undefined) done++
      if (scanned.mark !== undefined && !all) continue
      selected++
      if (stream === undefined) newest.add(scanned)
      else stream.add(toListed(scanned))
    }
    looked += part.looked
    output.progress(`${formatCount(looked)} records read, ${formatCount(selected)} selected …`)
  }
  const totals = { selected, done, looked }
  if (stream !== undefined) return stream.end(totals)
  const letters = newest.all()
  if (options.json) return output.printJson({ topic, letters, ...totals })
  if (letters.length > 0) output.print(`${formatLetters(letters, { withDone: all })}\n`)
  output.print(describe(options, totals, letters.length))
}

interface Totals {
  readonly selected: number
  /** Of all that fit the filters. */
  readonly done: number
  readonly looked: number
}

const describe = ({ topic, all }: ListOptions, { selected, done, looked }: Totals, shown: number): string => {
  if (looked === 0) return `${topic} holds nothing of what was asked for.`
  const more = selected - shown
  const left = done > 0 && !all ? ` ${formatCount(done)} more were dealt with; --all shows them.` : ''
  if (selected === 0)
    return `None of the ${formatCount(looked)} records of ${topic} that were looked at waits and fits the filters.${left}`
  return more > 0
    ? `The newest ${formatCount(shown)} of ${formatCount(selected)}; --limit shows more, 0 all.${left}`
    : `${formatCount(selected)} dead letters.${left}`
}

/** One document or table, however long, of which nothing is kept. */
const openStream = ({ print }: Pick<Output, 'print'>, options: ListOptions) => {
  const style = { withDone: options.all }
  let first = true
  print(options.json ? `{"topic":${printableJson(options.topic)},"letters":[` : formatHeader(style))
  return {
    add: (letter: ReturnType<typeof toListed>): void => {
      print(options.json ? `${first ? '' : ','}${printableJson(letter)}` : formatLine(letter, style))
      first = false
    },
    end: (totals: Totals): void => {
      if (options.json) print(`],${printableJson(totals).slice(1)}`)
      else print(`\n${describe(options, totals, totals.selected)}`)
    },
  }
}

import { formatTable } from '@dropbell/shared/format-table'
import { printable } from '../printable.ts'
import { formatMoment } from './format-facts.ts'
import type { ListedLetter } from './listed-letter.ts'

const columns = [
  { title: 'place', width: 12, cell: ({ place }: ListedLetter) => place },
  { title: 'given up', width: 20, cell: ({ timestamp }: ListedLetter) => formatMoment(timestamp) },
  { title: 'reason', width: 40, cell: ({ reason }: ListedLetter) => reason },
  { title: 'key', width: 36, cell: ({ key }: ListedLetter) => key },
  { title: 'replays', width: 7, cell: ({ replayCount }: ListedLetter) => String(replayCount) },
  { title: 'message', width: 60, cell: ({ message }: ListedLetter) => message ?? '' },
]

const doneColumn = {
  title: 'done',
  width: 50,
  cell: ({ done }: ListedLetter) => (done === null ? '' : `${done.action} by ${done.by}, run ${done.run}`),
}

const columnsFor = (withDone: boolean) =>
  withDone ? [...columns.slice(0, -1), doneColumn, ...columns.slice(-1)] : columns

export const formatLetters = (letters: readonly ListedLetter[], { withDone }: { withDone: boolean }): string => {
  const shown = columnsFor(withDone)
  return formatTable(
    shown.map(({ title }) => title),
    letters.map((letter) => shown.map(({ cell, width }) => printable(cell(letter), width))),
  )
}

/** For as many as come: the columns do not wait for the longest. */
export const formatLine = (letter: ListedLetter, { withDone }: { withDone: boolean }): string =>
  columnsFor(withDone)
    .map(({ cell, width }) => printable(cell(letter), width).padEnd(width))
    .join('  ')
    .trimEnd()

export const formatHeader = ({ withDone }: { withDone: boolean }): string =>
  columnsFor(withDone)
    .map(({ title, width }) => title.toUpperCase().padEnd(width))
    .join('  ')
    .trimEnd()

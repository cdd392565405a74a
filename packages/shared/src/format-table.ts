import { stripVTControlCharacters } from 'node:util'

/** Columns as wide as their longest cell; colours do not count. */
export const formatTable = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => widthOf(row[column] ?? ''))))
  return [header.map((title) => title.toUpperCase()), ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const widthOf = (cell: string): number => stripVTControlCharacters(cell).length

import { expect, it } from 'vitest'
import { formatTable } from './format-table.ts'

it('makes every column as wide as its longest cell and leaves no space at the end', () => {
  expect(
    formatTable(
      ['name', 'id'],
      [
        ['a', '1'],
        ['longer name', ''],
      ],
    ),
  ).toBe('NAME         ID\na            1\nlonger name')
})

it('does not count colours as width', () => {
  const [, first, second] = formatTable(
    ['state', 'id'],
    [
      ['\u001b[32mok\u001b[39m', '1'],
      ['broken', '2'],
    ],
  ).split('\n')
  expect(first).toBe('\u001b[32mok\u001b[39m      1')
  expect(second).toBe('broken  2')
})

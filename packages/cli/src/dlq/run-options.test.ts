import { expect, it } from 'vitest'
import { toCommandLine } from './run-options.ts'

const at = Date.parse('2026-11-18T09:00:00Z')

it('repeats every filter and option, and moments as the times that they were', () => {
  const selection = { since: at, until: at + 60_000, reasons: ['A', 'B'], partitions: [3] }
  expect(toCommandLine('replay', 'shop.v1.dlq', selection, { rate: 200, again: true, to: undefined })).toBe(
    'dropbell dlq replay shop.v1.dlq --since 2026-11-18T09:00:00.000Z --until 2026-11-18T09:01:00.000Z' +
      ' --reason A --reason B --partition 3 --rate 200 --again --yes',
  )
})

it('repeats the picks', () => {
  const places = [
    { partition: 3, offset: 17 },
    { partition: 0, offset: 1 },
  ]
  expect(toCommandLine('dismiss', 'a.dlq', { places }, {})).toBe('dropbell dlq dismiss a.dlq 3:17 0:1 --yes')
})

it('quotes what a shell would take for something else', () => {
  expect(toCommandLine('replay', 'a.dlq', { keys: ["it's; rm -r *", 'P-1'] }, {})).toBe(
    "dropbell dlq replay a.dlq --key 'it'\\''s; rm -r *' --key P-1 --yes",
  )
})

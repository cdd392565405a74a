import { expect, it } from 'vitest'
import { formatDuration } from './format-duration.ts'

it.each([
  [604_800_000, '7 d'],
  [129_600_000, '36 h'],
  [90_000, '90 s'],
  [1_500, '1500 ms'],
  [0, '0 ms'],
  [-1, 'for ever'],
])('says %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

import { expect, it } from 'vitest'
import { failureLabelOf } from './provider-metrics.ts'

it.each([
  ['HTTP_418', 'HTTP_4XX'],
  ['HTTP_429', 'HTTP_429'],
  ['HTTP_503', 'HTTP_5XX'],
  ['SMTP_550', 'SMTP_5XX'],
  ['CONNECTION_FAILED', 'CONNECTION_FAILED'],
  ['SOMETHING_NEW', 'OTHER'],
  ['HTTP_999', 'OTHER'],
])('counts %s as %s', (code, label) => {
  expect(failureLabelOf(code)).toBe(label)
})

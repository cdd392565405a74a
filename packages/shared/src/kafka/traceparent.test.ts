import { describe, expect, it } from 'vitest'
import { continueTrace } from './traceparent.ts'

const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('continueTrace', () => {
  it('carries a valid traceparent on', () => {
    expect(continueTrace(given)).toBe(given)
  })

  it.each([
    ['none', undefined],
    ['something else', 'trace-me'],
    ['capital letters', given.toUpperCase()],
    ['a trace id of zeros', given.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32))],
    ['a parent id of zeros', given.replace('b7ad6b7169203331', '0'.repeat(16))],
    ['the forbidden version', given.replace('00-', 'ff-')],
  ])('begins a trace, each time another, where there is %s', (_, traceparent) => {
    const begun = continueTrace(traceparent)
    expect(begun).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/)
    expect(continueTrace(begun)).toBe(begun)
    expect(continueTrace(traceparent)).not.toBe(begun)
  })
})

import { describe, expect, it } from 'vitest'
import { printable, printableJson, printableLines } from './printable.ts'

const dangerous = ['\u001b', '\u0007', '\u009b', '\u202e', '\u2066', '\u200f', '\u061c', '\r']

describe('text from elsewhere', () => {
  it.each(dangerous)('has no %j on a terminal', (control) => {
    const text = `before${control}[2Jafter`
    for (const shown of [printable(text), printableLines(text)]) {
      expect(shown).not.toContain(control)
      expect(shown).toContain('after')
    }
  })

  it('keeps what is no control: letters of all alphabets, and lines where there may be some', () => {
    expect(printable('가격 인하 – שלום')).toBe('가격 인하 – שלום')
    expect(printableLines('one\n\ttwo')).toBe('one\n\ttwo')
    expect(printable('one\ntwo')).toBe('one two')
  })
})

describe('JSON', () => {
  it.each(dangerous)('has %j escaped, and means the same', (control) => {
    const value = { reason: `a${control}b`, [`k${control}`]: [control] }
    const text = printableJson(value)
    expect(text).not.toContain(control)
    expect(JSON.parse(text)).toEqual(value)
  })
})

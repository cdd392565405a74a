import { describe, expect, it } from 'vitest'
import { cutTo, inLines, oneLine } from './plain-text.ts'

describe('a text from outside', () => {
  it('is one line where it has to be', () => {
    expect(oneLine(' 가격\r\nBcc: eve@example.com\u0000\u2028x\u202e ')).toBe('가격 Bcc: eve@example.com x')
  })

  it('keeps its lines where it may, and nothing else that cannot be seen', () => {
    expect(inLines('one\r\ntwo\rthree\u2028four\u0007!\tfive')).toBe('one\ntwo\nthree\nfour ! five')
  })

  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 4, 'too…'],
    ['ab😀cd', 4, 'ab…'],
  ])('%j is at most %i long', (text, length, cut) => {
    expect(cutTo(text, length)).toBe(cut)
  })
})

import { describe, expect, it } from 'vitest'
import { isMailAddress, parseSender } from './mail-address.ts'

describe('an e-mail address', () => {
  it.each(['kim@example.com', 'kim+shop@mail.example.co.kr', '김@예시.한국', "o'neil@example.com"])(
    'may be %s',
    (text) => {
      expect(isMailAddress(text)).toBe(true)
    },
  )

  it.each([
    'kim',
    'kim@',
    'kim@example.com, eve@example.com',
    'kim@example.com\r\nBcc: eve@example.com',
    'kim@example.com\nRCPT TO:<eve@example.com>',
    'Kim <kim@example.com>',
    'kim@example.com>',
    'kim@@example.com',
    '"kim" @example.com',
    'kim@example.com\u0000',
    'group:eve@example.com;',
  ])('is not %j', (text) => {
    expect(isMailAddress(text)).toBe(false)
  })

  it('may have a name if it is the sender', () => {
    const domain = 'example.com'
    expect(parseSender('Dropbell <news@example.com>')).toEqual({
      name: 'Dropbell',
      address: 'news@example.com',
      domain,
    })
    expect(parseSender('"드롭벨" <news@example.com>')).toMatchObject({ name: '드롭벨' })
    expect(parseSender('news@example.com')).toEqual({ name: '', address: 'news@example.com', domain })
    expect(parseSender('Dropbell <news>')).toBeUndefined()
    expect(parseSender('a <b@c.d>\r\nBcc: <e@f.g>')).toBeUndefined()
  })
})

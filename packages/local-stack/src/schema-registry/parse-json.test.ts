import { expect, test } from 'vitest'
import { parseJson, printJson } from './parse-json.ts'

test.each([
  ['{"a":0.0}', '{"a":0.0}'],
  ['{"a":0}', '{"a":0}'],
  ['[-1, 12345678901234567890]', '[-1,12345678901234567890]'],
  ['[1.50, 1e3, -0.0]', '[1.5,1000.0,-0.0]'],
  ['[1e7, 12345678.5, 0.0001]', '[1.0E7,1.23456785E7,1.0E-4]'],
  ['{ "b": "1.0 \\"2\\" \\\\", "a": [true, null] }', '{"b":"1.0 \\"2\\" \\\\","a":[true,null]}'],
])('prints %s as Jackson would: %s', (text, printed) => {
  expect(printJson(parseJson(text))).toBe(printed)
})

test('refuses malformed JSON with the words of the parser', () => {
  expect(() => parseJson('{"a":')).toThrow(/JSON/)
})

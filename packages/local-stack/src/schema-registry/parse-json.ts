/**
 * A number as it was written. Registries compare schemas as text, and `0.0` and `0` are different defaults there;
 * `JSON.parse` would make them one.
 */
export class NumberLiteral {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Json = null | boolean | string | NumberLiteral | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)

// A control character cannot stand in a key that a person or a tool wrote by intent.
const NUMBER = '\u0000number'
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** `JSON.parse` that keeps number literals. Throws `JSON.parse`'s own SyntaxError, whose words name the position. */
export const parseJson = (text: string): Json => {
  JSON.parse(text)
  const marked = text.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : JSON.stringify({ [NUMBER]: token }),
  )
  return JSON.parse(marked, (_key, value) =>
    isObject(value) && typeof value[NUMBER] === 'string' ? new NumberLiteral(value[NUMBER]) : value,
  )
}

/** Compact JSON with numbers as Jackson prints them: integers as written, the others by Java's `Double.toString`. */
export const printJson = (value: Json): string => {
  if (value instanceof NumberLiteral) return printNumber(value.text)
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  if (isObject(value)) return `{${Object.entries(value).map(printMember).join(',')}}`
  return JSON.stringify(value)
}

export const printMember = ([key, value]: [string, Json]): string => `${JSON.stringify(key)}:${printJson(value)}`

const printNumber = (text: string): string => {
  if (!/[.eE]/.test(text)) return text
  const number = Number(text)
  const size = Math.abs(number)
  if (number === 0) return text.startsWith('-') ? '-0.0' : '0.0'
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(number) ? `${number}.0` : String(number)
  const [digits = '', exponent = ''] = number.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`
}

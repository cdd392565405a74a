import { z } from 'zod'
import type { VariableMeta } from './describe-variable.ts'

/** The kinds of variables. Each says what it expects, in the words an operator reads when a start fails. */
const expects = <T extends z.ZodType>(type: T, meta: VariableMeta & { expected: string }): T => type.meta({ ...meta })

export const text = () => expects(z.string(), { expected: 'a text' })

export const secret = () => expects(z.string(), { expected: 'a secret', secret: true })

export const filePath = () => expects(z.string(), { expected: 'the path of a file' })

const flagValues: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

export const flag = () =>
  expects(
    z.enum(['true', 'false', '1', '0']).transform((value) => flagValues[value] === true),
    { expected: 'true, false, 1 or 0' },
  )

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  expects(z.enum(values), { expected: `one of ${values.join(', ')}` })

export interface Range {
  min?: number
  max?: number
}

/** Only digits: `Number` alone would also take '0x10', '1e3' and ' '. */
const integer = (noun: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: Range) =>
  expects(z.string().regex(/^\d+$/).transform(Number).pipe(z.number().int().min(min).max(max)), {
    expected: `${noun} ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  })

export const count = (range: Range = {}) => integer('a whole number', range)

// Beyond this a Node timer fires at once instead of late.
const maxTimerMs = 2 ** 31 - 1

export const milliseconds = (range: Range = {}) =>
  integer('a whole number of milliseconds', { max: maxTimerMs, ...range })

/** 0 asks the system for any free port. */
export const port = () => integer('a port', { max: 65_535 })

export const commaList = ({ item, expected }: { item: RegExp; expected: string }) =>
  expects(
    z
      .string()
      .transform((value) => value.split(',').map((part) => part.trim()))
      .pipe(z.array(z.string().regex(item))),
    { expected },
  )

export const url = (...schemes: readonly [string, ...string[]]) =>
  expects(
    z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))),
    {
      expected: `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
      mayHoldCredentials: true,
    },
  )

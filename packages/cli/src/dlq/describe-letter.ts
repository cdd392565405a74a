import { failureOf, readInteger } from '@dropbell/dead-letters/dead-letter'
import type { ScannedLetter } from '@dropbell/dead-letters/scan'
import type { DescribedValue } from '@dropbell/schemas/describe-value'
import { deadLetterHeaders, type HeaderValue } from '@dropbell/shared/kafka/headers'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import { type ListedLetter, toListed } from './listed-letter.ts'

/** Also what `dlq show --json` prints. */
export interface DescribedLetter extends ListedLetter {
  readonly topic: string
  readonly originTimestamp: number | null
  readonly attempts: number | null
  readonly stack: string | null
  /** In their order; a header without value is null, one that is no text `0x…`. */
  readonly headers: readonly { readonly name: string; readonly value: string | null }[]
  readonly payload: DescribedValue
  readonly bytes: { readonly length: number; readonly hex: string } | null
}

export const describeLetter = (scanned: ScannedLetter, payload: DescribedValue): DescribedLetter => {
  const { letter } = scanned
  const { stack, attempts } = failureOf(letter)
  return {
    topic: letter.topic,
    ...toListed(scanned),
    originTimestamp: letter.origin.timestamp ?? null,
    attempts: attempts !== undefined && /^\d+$/.test(attempts) ? Number(attempts) : null,
    stack: stack === undefined ? null : redactCredentials(stack),
    headers: Object.entries(letter.headers).flatMap(([name, values]) =>
      [values ?? null].flat().map((value) => ({ name, value: value === null ? null : decodeHeader(name, value) })),
    ),
    payload,
    bytes: letter.value && { length: letter.value.length, hex: letter.value.toString('hex') },
  }
}

const integers: readonly string[] = [
  deadLetterHeaders.originalPartition,
  deadLetterHeaders.originalOffset,
  deadLetterHeaders.originalTimestamp,
]

const decodeHeader = (name: string, value: HeaderValue): string => {
  const bytes = Buffer.from(value)
  const integer = integers.includes(name) ? readInteger(bytes) : undefined
  if (integer !== undefined) return integer.toString()
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? redactCredentials(text) : `0x${bytes.toString('hex')}`
}

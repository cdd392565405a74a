import { deadLetterHeaders } from '@dropbell/shared/kafka/headers'
import type { Output } from '../output.ts'
import { printable, printableLines } from '../printable.ts'
import type { DescribedLetter } from './describe-letter.ts'
import { formatMoment } from './format-facts.ts'

const maxHexBytes = 1_024

export const formatLetter = (letter: DescribedLetter, paint: Output['paint']): string => {
  const facts = factsOf(letter).map(([name, value]) => `${paint('dim', name.padEnd(12))} ${value}`)
  const headers = letter.headers
    .filter(({ name }) => name !== deadLetterHeaders.exceptionStacktrace && name !== deadLetterHeaders.exceptionMessage)
    .map(({ name, value }) => `  ${printable(name)} = ${value === null ? paint('dim', 'null') : printable(value, 200)}`)
  return [
    ...facts,
    '',
    paint('bold', 'headers'),
    ...headers,
    '',
    paint('bold', `payload: ${printable(describePayload(letter))}`),
    ...formatPayload(letter),
    ...(letter.stack === null ? [] : ['', paint('bold', 'stack'), printableLines(letter.stack)]),
  ].join('\n')
}

const factsOf = (letter: DescribedLetter): [string, string][] => {
  const { topic, place, timestamp, reason, message, key, group, origin, originTimestamp, attempts, replayCount, done } =
    letter
  const cameFrom = `${origin.topic ?? 'unknown'} ${origin.partition ?? '?'}:${origin.offset ?? '?'}`
  const written = originTimestamp === null ? '' : `, written ${formatMoment(originTimestamp)}`
  return [
    ['dead letter', `${topic} ${place}, given up ${formatMoment(timestamp)}`],
    ['original', `${printable(cameFrom)}${written}`],
    ['group', printable(group ?? 'unknown')],
    ['key', printable(key)],
    ['reason', printable(reason)],
    ['message', printable(message ?? '')],
    ['tried', `${attempts === null ? 'unknown' : times(attempts)}, put back ${times(replayCount)} before`],
    ['dealt with', done === null ? 'no' : printable(`${done.action} by ${done.by} at ${done.at}, run ${done.run}`)],
  ]
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const describePayload = ({ payload, bytes }: DescribedLetter): string => {
  if (payload.kind === 'none' || bytes === null) return 'none (a tombstone)'
  if (payload.kind === 'avro') return `${payload.name}, schema ${payload.schemaId}, ${bytes.length} bytes`
  return `${bytes.length} bytes; ${payload.why}`
}

const formatPayload = ({ payload, bytes }: DescribedLetter): string[] => {
  if (payload.kind === 'avro') return [printableLines(JSON.stringify(payload.value, null, 2))]
  if (bytes === null) return []
  const shown = hexDump(Buffer.from(bytes.hex.slice(0, 2 * maxHexBytes), 'hex'))
  return bytes.length > maxHexBytes ? [...shown, `… ${bytes.length - maxHexBytes} bytes more; --json has all`] : shown
}

/** Sixteen bytes a line, as `hexdump -C` prints them: what is text can be read beside it. */
const hexDump = (bytes: Buffer): string[] =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, line) => {
    const row = bytes.subarray(16 * line, 16 * line + 16)
    const hex = [...row].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = [...row].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    return `  ${(16 * line).toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`
  })

import { randomBytes } from 'node:crypto'

// W3C Trace Context: version, trace id, parent id, flags. "ff" is no version, and ids of zeros are no ids.
const valid = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** Carries on the trace that a record came with; begins one if it came with none, or with something else. */
export const continueTrace = (traceparent: string | undefined): string =>
  traceparent !== undefined && valid.test(traceparent) ? traceparent : beginTrace()

export const beginTrace = (): string => `00-${nonZeroHex(16)}-${nonZeroHex(8)}-01`

const nonZeroHex = (length: number): string => {
  const bytes = randomBytes(length)
  return bytes.some((byte) => byte !== 0) ? bytes.toString('hex') : nonZeroHex(length)
}

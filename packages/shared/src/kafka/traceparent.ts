import { randomUUID } from 'node:crypto'

// W3C Trace Context: version, trace id, parent id, flags. "ff" is no version, and ids of zeros are no ids.
const valid = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** Carries on the trace that a record came with; begins one if it came with none, or with something else. */
export const continueTrace = (traceparent: string | undefined): string =>
  traceparent !== undefined && valid.test(traceparent) ? traceparent : beginTrace()

export const beginTrace = (): string => `00-${randomHex()}-${randomHex().slice(0, 16)}-01`

/** One for each record that comes without a trace: Node keeps random bytes for UUIDs ready, and none of those is zero. */
const randomHex = (): string => randomUUID().replaceAll('-', '')

import { TransientError } from './errors.ts'
import { redactCredentials } from './redact-credentials.ts'
import { withDeadline } from './with-deadline.ts'

/** Asks a dependency for a sign of life; rejects if there is none in time. */
export type Probe = () => Promise<void>

/** A connection to an engine, as its `createX` returns it: nothing is connected before the first use. */
export interface Connection<Client> {
  client: Client
  probe: Probe
  close(): Promise<void>
}

export const defaultProbeTimeoutMs = 2_000

export interface ProbeOptions {
  /** Code of the TransientError, e.g. `REDIS_UNAVAILABLE`. */
  code: string
  /** Name of the dependency in messages. */
  name: string
  timeoutMs?: number | undefined
  request(timeoutMs: number): Promise<unknown>
}

/** Whatever the reason, a dependency that does not answer may answer later: the failure is always transient. */
export const createProbe =
  ({ code, name, timeoutMs = defaultProbeTimeoutMs, request }: ProbeOptions): Probe =>
  async () => {
    try {
      await withDeadline(request(timeoutMs), timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`))
    } catch (cause) {
      throw new TransientError(code, `${name} is not available: ${redactCredentials(reasonOf(cause))}`, { cause })
    }
  }

/** Node's connection errors for a name with several addresses have a code and no message. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

import { RegistryUnavailableError } from './codec-errors.ts'

export interface RegistryHttpOptions {
  /** May carry a user and a password (`https://user:password@host`), which are sent as basic authentication. */
  readonly url: string
  readonly timeoutMs?: number
  readonly fetch?: typeof globalThis.fetch
}

export interface RegistryAnswer {
  /** The method and the address without credentials, for messages. */
  readonly request: string
  readonly status: number
  readonly body: unknown
  readonly retryAfterMs: number | undefined
}

/** `body` is JSON already. */
export type AskRegistry = (method: string, path: string, body?: string) => Promise<RegistryAnswer>

const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json'
const DEFAULT_TIMEOUT_MS = 5_000

/** Rejects only where there is no answer at all: what a status means is for `registry-answer.ts` to say. */
export function createRegistryHttp(options: RegistryHttpOptions): AskRegistry {
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch } = options
  const { address, authorization } = separateCredentials(url)
  const headers: Record<string, string> = { accept: CONTENT_TYPE, 'content-type': CONTENT_TYPE, ...authorization }

  return async (method, path, body) => {
    const request = `${method} ${address}${path}`
    const init = body === undefined ? { method, headers } : { method, headers, body }
    try {
      const response = await fetch(`${address}${path}`, { ...init, signal: AbortSignal.timeout(timeoutMs) })
      const text = await response.text()
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'))
      return { request, status: response.status, body: parseJson(text), retryAfterMs }
    } catch (cause) {
      throw new RegistryUnavailableError(request, reasonOf(cause, timeoutMs), { cause })
    }
  }
}

/** `fetch` refuses an address with credentials in it. */
function separateCredentials(url: string): { address: string; authorization: Record<string, string> } {
  const parsed = new URL(url)
  const { username, password } = parsed
  parsed.username = ''
  parsed.password = ''
  const address = parsed.href.replace(/\/+$/, '')
  if (username === '') return { address, authorization: {} }
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { address, authorization: { authorization: `Basic ${credentials}` } }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy's HTML page. The status and the missing fields tell the rest.
    return null
  }
}

/** Only the form in seconds: a registry or gateway that asks to wait uses it. */
function parseRetryAfter(header: string | null): number | undefined {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined
}

function reasonOf(cause: unknown, timeoutMs: number): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return `no answer within ${timeoutMs} ms`
  // `fetch` says only "fetch failed"; the socket's own error is behind it.
  return cause.cause instanceof Error ? cause.cause.message : cause.message
}

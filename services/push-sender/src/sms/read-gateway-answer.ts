import { unknown } from '../channel-transport.ts'
import type { SendResult } from '../provider.ts'
import { parseRetryAfter } from '../retry-after.ts'

export interface GatewayAnswer {
  readonly status: number
  readonly body: string
  readonly retryAfter?: string | undefined
}

/**
 * Somebody on the way gave up on the gateway, which may have taken the message all the same. That we send an idempotency
 * key does not help: whether a gateway honours it, nobody can tell from here.
 */
const mayHaveBeenTaken = new Set([408, 502, 504])

/** Nothing is wrong with the message: our credentials or our URL are. Redirects are not followed. */
const aboutUs = new Set([401, 404, 405, 407])

export const readGatewayAnswer = (
  { status, body, retryAfter }: GatewayAnswer,
  latencyMs: number,
  now: number,
): SendResult => {
  if (status >= 200 && status < 300) return { kind: 'accepted', latencyMs, providerId: idIn(body) }
  if (mayHaveBeenTaken.has(status)) return unknown('GATEWAY_FAILED', latencyMs)
  const retryAfterMs = parseRetryAfter(retryAfter, now)
  const code = codeOf(status)
  const retryable = mayPass(status)
  return {
    kind: 'refused',
    code,
    retryable,
    ...(retryable && retryAfterMs !== undefined && { retryAfterMs }),
    latencyMs,
  }
}

const codeOf = (status: number): string => `HTTP_${status}`

const mayPass = (status: number): boolean => status >= 500 || status === 425 || status === 429 || isAboutUs(status)

const isAboutUs = (status: number): boolean => aboutUs.has(status) || (status >= 300 && status < 400)

const statusIn = (code: string): number => Number(/^HTTP_(\d{3})$/.exec(code)?.[1] ?? 0)

/** A 403 may be about us or about the number: final for the row, and loud. */
export const isOperatorFault = (code: string): boolean => isAboutUs(statusIn(code)) || code === codeOf(403)

/** The gateway is unwell, has enough of us, or does not know us; all of it waits. */
export const saysGatewayIsDown = (code: string): boolean => {
  const status = statusIn(code)
  return status >= 500 || status === 429 || isAboutUs(status)
}

const idNames = ['id', 'messageId', 'message_id', 'sid']
const maxIdLength = 200

/** If there is one where most gateways have it. The answer may be anything. */
const idIn = (body: string): string | null => {
  try {
    const answer = JSON.parse(body) as Record<string, unknown> | null
    const id = idNames.map((name) => answer?.[name]).find((value) => ['string', 'number'].includes(typeof value))
    return id === undefined ? null : String(id).slice(0, maxIdLength)
  } catch {
    return null
  }
}

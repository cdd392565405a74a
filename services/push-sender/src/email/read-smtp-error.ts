import { notTaken, unknown } from '../channel-transport.ts'
import type { SendResult } from '../provider.ts'
import { givenUpCode, notSent } from '../send-each.ts'

/** As far as we rely on nodemailer's errors. */
export interface SmtpError {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}

export interface SmtpProgress {
  /** Whether a transaction had begun, and the replies are about this mail. */
  readonly begun: boolean
  /** Whether all of the mail was handed to the connection, and with it the dot that ends it. */
  readonly written: boolean
  readonly latencyMs: number
  readonly signal: AbortSignal
}

/** The server wants other credentials, whatever it was asked. */
const authReplies = new Set([530, 534, 535, 538])

/**
 * A server has taken a mail when it says so after the final dot. Before the dot it certainly has not; after it, without
 * a reply, nobody knows. Any reply is the last word.
 */
export const readSmtpError = (error: SmtpError, { begun, written, latencyMs, signal }: SmtpProgress): SendResult => {
  const { code, responseCode = 0 } = error
  if (code === 'EAUTH' || code === 'ENOAUTH' || authReplies.has(responseCode)) return notTaken('AUTH_FAILED', latencyMs)
  if (begun && responseCode >= 400 && responseCode < 600)
    return refused(`SMTP_${responseCode}`, responseCode < 500, latencyMs)
  if (written) return unknown(signal.aborted ? givenUpCode(signal) : 'CONNECTION_LOST', latencyMs)
  if (signal.aborted) return notSent(signal)
  // Found by nodemailer itself: larger than the server has said it takes; an address that cannot be written.
  if (code === 'EMESSAGE') return refused('MESSAGE_TOO_LARGE', false, 0)
  if (code === 'EENVELOPE') return refused('INVALID_ADDRESS', false, 0)
  return notTaken('CONNECTION_FAILED', latencyMs)
}

const refused = (code: string, retryable: boolean, latencyMs: number): SendResult => ({
  kind: 'refused',
  code,
  retryable,
  latencyMs,
})

/** Replies about the server rather than about the mail. */
export const saysServerIsDown = (code: string): boolean => ['SMTP_421', 'SMTP_452', 'SMTP_454'].includes(code)

export const isOperatorFault = (code: string): boolean => code === 'AUTH_FAILED'

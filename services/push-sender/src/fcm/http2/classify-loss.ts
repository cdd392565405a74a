import { constants } from 'node:http2'
import type { NotTakenCode, UnknownCode } from '../transport.ts'

export interface LostStream {
  /** Undefined while it has not been given one: nothing was written then. */
  readonly id: number | undefined
  readonly rstCode: number | undefined
  /** The highest stream that the peer says it may have looked at; undefined without a GOAWAY. */
  readonly goawayLastId: number | undefined
  readonly sessionEnded: boolean
}

export type Loss =
  | { readonly kind: 'not-taken'; readonly code: NotTakenCode }
  | { readonly kind: 'unknown'; readonly code: UnknownCode }

/**
 * A request that ended without an answer. Only what HTTP/2 itself guarantees counts as not taken (RFC 9113 §6.8, §8.7): a
 * stream above the last one of a GOAWAY, and one refused by REFUSED_STREAM. All else may have arrived.
 */
export const classifyLoss = ({ id, rstCode, goawayLastId, sessionEnded }: LostStream): Loss => {
  if (id === undefined) return { kind: 'not-taken', code: 'CONNECTION_FAILED' }
  if (goawayLastId !== undefined && id > goawayLastId) return { kind: 'not-taken', code: 'GOAWAY' }
  if (rstCode === constants.NGHTTP2_REFUSED_STREAM) return { kind: 'not-taken', code: 'REFUSED_STREAM' }
  return { kind: 'unknown', code: sessionEnded ? 'CONNECTION_LOST' : 'STREAM_RESET' }
}

import type { Dispatcher, Pool } from 'undici'
import { notTaken, unknown } from '../channel-transport.ts'
import type { SendResult } from '../provider.ts'
import { givenUpCode, notSent } from '../send-each.ts'
import type { GatewayAnswer } from './read-gateway-answer.ts'

export interface GatewayRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Far above what a gateway has to say. */
const maxAnswerLength = 65_536

/**
 * One request, written once. undici would write a request again whose connection ended in certain ways before an answer;
 * here that is the end of it. Ends with `signal` at the latest: as not taken if nothing was written by then.
 */
export const postToGateway = (
  pool: Pick<Pool, 'dispatch'>,
  { path, headers, body }: GatewayRequest,
  signal: AbortSignal,
  read: (answer: GatewayAnswer, latencyMs: number) => SendResult,
): Promise<SendResult> =>
  new Promise((resolve) => {
    let writtenAt: number | undefined
    let controller: Dispatcher.DispatchController | undefined
    let answer: { status: number; retryAfter: string | undefined } | undefined
    let text = ''
    let settled = false

    const settle = (result: SendResult): void => {
      if (settled) return
      settled = true
      signal.removeEventListener('abort', giveUp)
      resolve(result)
    }
    const latency = (): number => (writtenAt === undefined ? 0 : performance.now() - writtenAt)
    const giveUp = (): void => {
      settle(writtenAt === undefined ? notSent(signal) : unknown(givenUpCode(signal), latency()))
      controller?.abort(new Error('given up'))
    }
    signal.addEventListener('abort', giveUp, { once: true })

    pool.dispatch(
      { method: 'POST', path, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart: (started) => {
          controller = started
          // Given up while it waited for a connection, or about to be written for the second time.
          if (settled || writtenAt !== undefined) return void started.abort(new Error('not to be written'))
          writtenAt = performance.now()
        },
        onResponseStart: (_, status, answerHeaders) => {
          if (status < 200) return
          answer = { status, retryAfter: [answerHeaders['retry-after']].flat()[0] }
        },
        onResponseData: (_, chunk) => {
          if (text.length < maxAnswerLength) text += chunk.toString('utf8')
        },
        onResponseEnd: () => {
          if (answer !== undefined) settle(read({ ...answer, body: text }, latency()))
        },
        onResponseError: () => {
          if (writtenAt === undefined) settle(notTaken('CONNECTION_FAILED'))
          // The status says it all; what was lost is the rest of a text for people.
          else if (answer !== undefined) settle(read({ ...answer, body: '' }, latency()))
          else settle(unknown('CONNECTION_LOST', latency()))
        },
      },
    )
  })

import type { OutgoingHttpHeaders } from 'node:http2'
import type { Logger } from '@dropbell/shared/log'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { AccessTokens } from './access-token.ts'
import type { FcmConfig } from './config.ts'
import type { FcmAccess } from './fcm-access.ts'
import type { SessionEvent } from './http2/fcm-session.ts'
import { Posting } from './http2/posting.ts'
import { createSessionPool } from './http2/session-pool.ts'
import type { FcmTransport, TransportOptions, TransportResult } from './transport.ts'
import { dryRunBody, wireBody } from './wire-message.ts'

export type Http2Config = Pick<
  FcmConfig,
  'FCM_SESSIONS' | 'FCM_STREAMS_PER_SESSION' | 'FCM_CONNECT_TIMEOUT_MS' | 'FCM_PING_INTERVAL_MS' | 'FCM_PING_TIMEOUT_MS'
>

export interface Http2TransportOptions {
  access: Pick<FcmAccess, 'origin' | 'projectId'>
  accessTokens: AccessTokens
  config: Http2Config
  log: Logger
  onSessionEvent(event: SessionEvent): void
}

const closeTimeoutMs = 2_000

/**
 * FCM's HTTP v1 API over connections of our own. A message is written once: whatever happens to it is reported, and it is
 * the ledger that decides whether it may be written again.
 */
export const createHttp2Transport = (options: Http2TransportOptions): FcmTransport => {
  const { access, accessTokens, config, log } = options
  const path = `/v1/projects/${encodeURIComponent(access.projectId)}/messages:send`
  const pool = createSessionPool({
    origin: access.origin,
    maxSessions: config.FCM_SESSIONS,
    maxStreams: config.FCM_STREAMS_PER_SESSION,
    connectTimeoutMs: config.FCM_CONNECT_TIMEOUT_MS,
    pingIntervalMs: config.FCM_PING_INTERVAL_MS,
    pingTimeoutMs: config.FCM_PING_TIMEOUT_MS,
    onEvent: (event, err) => {
      if (event !== 'opened') log.warn({ err, dependency: 'fcm', outcome: event }, 'connection to FCM ended')
      options.onSessionEvent(event)
    },
  })

  const headersOf = (token: string): OutgoingHttpHeaders => ({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  })

  /** Each settles once, at the latest by the deadline. */
  const sendBodies = async (bodies: readonly string[], sending: TransportOptions): Promise<void> => {
    if (bodies.length === 0) return
    const token = await tokenInTime(accessTokens, sending, log)
    if (token === undefined) {
      const result = { kind: 'not-taken', code: 'NO_ACCESS_TOKEN', latencyMs: 0 } as const
      for (let index = 0; index < bodies.length; index++) sending.settle(index, result)
      return
    }
    await postAll(bodies, headersOf(token), {
      ...sending,
      settle: (index, result) => {
        if (result.kind === 'refused' && result.code === 'UNAUTHENTICATED') accessTokens.forget(token)
        sending.settle(index, result)
      },
    })
  }

  const postAll = (bodies: readonly string[], headers: OutgoingHttpHeaders, sending: TransportOptions): Promise<void> =>
    new Promise((resolve) => {
      const { deadlineAt, signal, holdBack } = sending
      let left = bodies.length
      const settle = (index: number, result: TransportResult): void => {
        sending.settle(index, result)
        if (--left > 0) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const context = { headers, deadlineAt, holdBack, settle }
      const postings = bodies.map((body, index) => new Posting(context, index, body))
      const endAll = (reason: 'deadline' | 'aborted'): void => {
        for (const posting of postings) posting.end(reason)
      }
      const abort = (): void => endAll('aborted')
      const timer = setTimeout(() => endAll('deadline'), Math.max(0, deadlineAt - performance.now()))
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else for (const posting of postings) pool.submit(posting)
    })

  return {
    send: (messages, sending) => sendBodies(messages.map(wireBody), sending),

    refusesToken: async (token, { deadlineAt, signal }) => {
      let refused = false
      const settle = (_: number, result: TransportResult): void => {
        // In FCM's own words: a bare 400 may come from whatever stands between.
        refused = result.kind === 'refused' && (result.invalidTarget === true || result.tokenInDoubt === true)
      }
      await sendBodies([dryRunBody(token)], { deadlineAt, signal, settle, holdBack: () => undefined })
      return refused
    },

    close: () => pool.close(closeTimeoutMs),
  }
}

const tokenInTime = async (
  accessTokens: AccessTokens,
  { deadlineAt }: TransportOptions,
  log: Logger,
): Promise<string | undefined> => {
  try {
    return await withDeadline(accessTokens.get(), deadlineAt - performance.now(), () => new Error('too late'))
  } catch (err) {
    log.error({ err, dependency: 'fcm' }, 'no access token for FCM')
    return undefined
  }
}

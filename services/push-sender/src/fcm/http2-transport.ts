import type { OutgoingHttpHeaders } from 'node:http2'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { AccessTokens } from './access-token.ts'
import type { FcmConfig } from './config.ts'
import type { FcmAccess } from './fcm-access.ts'
import type { SessionEvent } from './http2/fcm-session.ts'
import { createSessionPool } from './http2/session-pool.ts'
import { readAnswer } from './read-answer.ts'
import type { FcmTransport, HeldBack, TransportOptions, TransportResult } from './transport.ts'
import { dryRunBody, wireBody } from './wire-message.ts'

export type Http2Config = Pick<
  FcmConfig,
  'FCM_SESSIONS' | 'FCM_STREAMS_PER_SESSION' | 'FCM_CONNECT_TIMEOUT_MS' | 'FCM_PING_INTERVAL_MS' | 'FCM_PING_TIMEOUT_MS'
>

export interface Http2TransportOptions {
  access: Pick<FcmAccess, 'origin' | 'projectId'>
  accessTokens: AccessTokens
  config: Http2Config
  onSessionEvent?: (event: SessionEvent) => void
}

const closeTimeoutMs = 2_000

/**
 * FCM's HTTP v1 API over connections of our own. A message is written once: whatever happens to it is reported, and it is
 * the ledger that decides whether it may be written again.
 */
export const createHttp2Transport = (options: Http2TransportOptions): FcmTransport => {
  const { access, accessTokens, config } = options
  const path = `/v1/projects/${encodeURIComponent(access.projectId)}/messages:send`
  const pool = createSessionPool({
    origin: access.origin,
    maxSessions: config.FCM_SESSIONS,
    maxStreams: config.FCM_STREAMS_PER_SESSION,
    connectTimeoutMs: config.FCM_CONNECT_TIMEOUT_MS,
    pingIntervalMs: config.FCM_PING_INTERVAL_MS,
    pingTimeoutMs: config.FCM_PING_TIMEOUT_MS,
    onEvent: options.onSessionEvent ?? (() => {}),
  })

  const headersOf = (token: string): OutgoingHttpHeaders => ({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  })

  /** One after the other into the pool; each settles once, at the latest by the deadline. */
  const sendBodies = async (bodies: readonly string[], sending: TransportOptions): Promise<void> => {
    if (bodies.length === 0) return
    const token = await tokenInTime(accessTokens, sending)
    if (token === undefined) {
      const result = { kind: 'not-taken', code: 'NO_ACCESS_TOKEN', latencyMs: 0 } as const
      for (let index = 0; index < bodies.length; index++) sending.settle(index, result)
      return
    }
    const headers = headersOf(token)
    const submit = (body: string, job: Job): void =>
      pool.submit({
        headers,
        body,
        mayBeWritten: () => job.mayBeWritten(sending.holdBack),
        onWritten: job.written,
        onUnreachable: () => job.settle({ kind: 'not-taken', code: 'CONNECTION_FAILED', latencyMs: 0 }),
        onLoss: (loss) => job.settle({ ...loss, latencyMs: job.latencyMs() }),
        onAnswer: (answer) => {
          const result = readAnswer(answer, job.latencyMs(), Date.now())
          if (result.kind === 'refused' && result.code === 'UNAUTHENTICATED') accessTokens.forget(token)
          job.settle(result)
        },
      })
    await settleAll(bodies, sending, submit)
  }

  return {
    send: (messages, sending) => sendBodies(messages.map(wireBody), sending),

    refusesToken: async (token, { deadlineAt, signal }) => {
      let refused = false
      const settle = (_: number, result: TransportResult): void => {
        refused = result.kind === 'refused' && ['INVALID_ARGUMENT', 'UNREGISTERED'].includes(result.code)
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
): Promise<string | undefined> => {
  try {
    return await withDeadline(accessTokens.get(), deadlineAt - performance.now(), () => new Error('too late'))
  } catch {
    return undefined
  }
}

/** What becomes of one message: waiting, written, settled. */
interface Job {
  mayBeWritten(holdBack: () => HeldBack | undefined): boolean
  written(request: { giveUp(): void; doubt(): void }): void
  settle(result: TransportResult): void
  /** Settles it if nothing else has. */
  end(reason: 'deadline' | 'aborted'): void
  latencyMs(): number
}

const createJob = (onSettled: (result: TransportResult) => void): Job => {
  let settled = false
  let writtenAt = 0
  let request: { giveUp(): void; doubt(): void } | undefined
  const latencyMs = (): number => performance.now() - writtenAt
  const settle = (result: TransportResult): void => {
    if (settled) return
    settled = true
    onSettled(result)
  }
  return {
    settle,
    latencyMs,
    mayBeWritten: (holdBack) => {
      if (settled) return false
      const held = holdBack()
      if (held) settle(held)
      writtenAt = performance.now()
      return held === undefined
    },
    written: (written) => {
      request = written
    },
    end: (reason) => {
      if (settled) return
      if (request === undefined) {
        const code = reason === 'deadline' ? 'NOT_SENT_IN_TIME' : 'ABORTED_BEFORE_SEND'
        return settle({ kind: 'not-taken', code, latencyMs: 0 })
      }
      request.giveUp()
      if (reason === 'deadline') request.doubt()
      settle({ kind: 'unknown', code: reason === 'deadline' ? 'DEADLINE_EXCEEDED' : 'ABORTED', latencyMs: latencyMs() })
    },
  }
}

const settleAll = (
  bodies: readonly string[],
  { deadlineAt, signal, settle }: TransportOptions,
  submit: (body: string, job: Job) => void,
): Promise<void> =>
  new Promise((resolve) => {
    let left = bodies.length
    const jobs = bodies.map((_, index) =>
      createJob((result) => {
        settle(index, result)
        if (--left > 0) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        resolve()
      }),
    )
    const endAll = (reason: 'deadline' | 'aborted'): void => {
      for (const job of jobs) job.end(reason)
    }
    const abort = (): void => endAll('aborted')
    const timer = setTimeout(() => endAll('deadline'), Math.max(0, deadlineAt - performance.now()))
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) return abort()
    for (const [index, job] of jobs.entries()) submit(bodies[index] as string, job)
  })

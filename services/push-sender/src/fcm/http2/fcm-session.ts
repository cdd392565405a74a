import { type ClientHttp2Session, connect } from 'node:http2'
import { createPings } from './pings.ts'
import { type Request, WrittenRequest } from './written-request.ts'

export interface FcmSessionOptions {
  readonly origin: string
  readonly maxStreams: number
  readonly connectTimeoutMs: number
  readonly pingIntervalMs: number
  readonly pingTimeoutMs: number
  /** There is room for another request, or there is no longer any hope of it: look again. */
  onChange(): void
  /** The peer is alive. */
  onAnswered(): void
  onEvent(event: SessionEvent, cause?: Error): void
}

/** How a connection began and how it ended. */
export const sessionEvents = ['opened', 'goaway', 'lost', 'silent', 'connect-failed'] as const

export type SessionEvent = (typeof sessionEvents)[number]

/**
 * One connection. It is open from the peer's settings on, which say how many streams it takes and that it speaks HTTP/2
 * at all; nothing is written before. From a GOAWAY on it takes no new requests, but those that are under way may end.
 */
export interface FcmSession {
  state(): 'connecting' | 'open' | 'ending' | 'ended'
  /** How many requests could be written now. */
  room(): number
  /** How many have been written and have not ended. */
  active(): number
  write(request: Request): WrittenRequest
  /** Takes no new requests. */
  end(): void
  destroy(): void
}

export const openFcmSession = (options: FcmSessionOptions): FcmSession => {
  const session: ClientHttp2Session = connect(options.origin, { settings: { enablePush: false } })
  let state: ReturnType<FcmSession['state']> = 'connecting'
  let maxStreams = options.maxStreams
  let active = 0
  let goawayLastId: number | undefined
  let ending: SessionEvent = 'lost'
  let socket: { destroy(): void } | undefined
  let cause: Error | undefined

  /** Node waits for the peer to close its side as well, which some never do. */
  const cutIfDone = (): void => {
    if (state === 'ending' && active === 0) socket?.destroy()
  }
  const destroy = (): void => {
    session.destroy()
    socket?.destroy()
  }
  const connectTimer = setTimeout(destroy, options.connectTimeoutMs)
  const pings = createPings(session, options, () => {
    ending = 'silent'
    destroy()
  })

  session.on('connect', (_, raw) => {
    socket = raw
  })
  session.on('remoteSettings', ({ maxConcurrentStreams }) => {
    maxStreams = Math.min(options.maxStreams, maxConcurrentStreams ?? options.maxStreams)
    if (state === 'connecting') {
      state = 'open'
      clearTimeout(connectTimer)
      pings.start()
      options.onEvent('opened')
    }
    options.onChange()
  })
  session.on('goaway', (_code, lastStreamId) => {
    // A peer may say it again with a lower number, never with a higher one.
    goawayLastId = Math.min(lastStreamId ?? Number.POSITIVE_INFINITY, goawayLastId ?? Number.POSITIVE_INFINITY)
    if (state === 'open') options.onEvent('goaway')
    if (state !== 'ended') state = 'ending'
    setImmediate(cutIfDone) // Node tells the streams after this
    options.onChange()
  })
  session.on('error', (error) => {
    cause = error // `close` follows, and every request is told
  })
  session.on('close', () => {
    clearTimeout(connectTimer)
    pings.stop()
    if (state === 'connecting') options.onEvent('connect-failed', cause)
    if (state === 'open') options.onEvent(ending, cause)
    state = 'ended'
    options.onChange()
  })

  const ofStreams = {
    goawayLastId: () => goawayLastId,
    hasEnded: () => session.destroyed,
    onAnswered: options.onAnswered,
    doubt: pings.now,
    onClosed: () => {
      active--
      cutIfDone()
      options.onChange()
    },
  }
  return {
    state: () => state,
    room: () => (state === 'open' && !session.closed && !session.destroyed ? maxStreams - active : 0),
    active: () => active,
    write: (request) => {
      const stream = session.request(request.headers)
      active++
      return new WrittenRequest(stream, request, ofStreams)
    },
    end: () => {
      if (state !== 'ended') state = 'ending'
      session.close()
      cutIfDone()
    },
    destroy,
  }
}

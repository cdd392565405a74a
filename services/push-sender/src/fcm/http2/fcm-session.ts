import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { HttpAnswer } from '../read-answer.ts'
import { classifyLoss, type Loss } from './classify-loss.ts'

export interface FcmSessionOptions {
  readonly origin: string
  readonly maxStreams: number
  readonly connectTimeoutMs: number
  readonly pingIntervalMs: number
  readonly pingTimeoutMs: number
  /** There is room for another request, or there is no longer any hope of it: look again. */
  onChange(): void
  onEvent(event: SessionEvent): void
}

/** How a connection began and how it ended. */
export const sessionEvents = ['opened', 'goaway', 'lost', 'silent', 'connect-failed'] as const

export type SessionEvent = (typeof sessionEvents)[number]

export interface Request {
  readonly headers: OutgoingHttpHeaders
  readonly body: string
  onAnswer(answer: HttpAnswer): void
  onLoss(loss: Loss): void
}

/** A request that has been written. */
export interface WrittenRequest {
  /** Nobody waits for it any more; nothing is reported after this. */
  giveUp(): void
}

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
  /** Asks for a sign of life at once: a request was not answered in time. */
  doubt(): void
  /** Takes no new requests. */
  end(): void
  destroy(): void
}

export const openFcmSession = (options: FcmSessionOptions): FcmSession => {
  const session = connect(options.origin, { settings: { enablePush: false } })
  let state: ReturnType<FcmSession['state']> = 'connecting'
  let maxStreams = options.maxStreams
  let active = 0
  let goawayLastId: number | undefined
  let ending: SessionEvent = 'lost'
  let socket: { destroy(): void } | undefined

  /** Node waits for the peer to close its side as well, which some never do. */
  const cutIfDone = (): void => {
    if (state === 'ending' && active === 0) socket?.destroy()
  }

  const connectTimer = setTimeout(() => session.destroy(), options.connectTimeoutMs)
  const destroy = (): void => {
    session.destroy()
    socket?.destroy()
  }
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
    goawayLastId = Math.min(lastStreamId ?? 0, goawayLastId ?? Number.POSITIVE_INFINITY)
    if (state === 'open') options.onEvent('goaway')
    if (state !== 'ended') state = 'ending'
    // Node tells the streams after this.
    setImmediate(cutIfDone)
    options.onChange()
  })
  session.on('error', () => {}) // `close` follows, and every request is told
  session.on('close', () => {
    clearTimeout(connectTimer)
    pings.stop()
    if (state === 'connecting') options.onEvent('connect-failed')
    if (state === 'open') options.onEvent(ending)
    state = 'ended'
    options.onChange()
  })

  const write = (request: Request): WrittenRequest => {
    const stream = session.request(request.headers)
    active++
    return readStream(stream, request, () => {
      active--
      cutIfDone()
      options.onChange()
      return classifyLoss({ id: stream.id, rstCode: stream.rstCode, goawayLastId, sessionEnded: session.destroyed })
    })
  }

  return {
    state: () => state,
    room: () => (state === 'open' && !session.closed && !session.destroyed ? maxStreams - active : 0),
    active: () => active,
    write,
    doubt: pings.now,
    end: () => {
      if (state !== 'ended') state = 'ending'
      session.close()
      cutIfDone()
    },
    destroy,
  }
}

/** Reports once: an answer, or the loss that `onClose` finds. */
const readStream = (stream: ClientHttp2Stream, request: Request, onClose: () => Loss): WrittenRequest => {
  let status: number | undefined
  let retryAfter: string | undefined
  let body = ''
  let reported = false
  const report = (tell: () => void): void => {
    if (reported) return
    reported = true
    tell()
  }
  const answer = (): void => {
    if (status !== undefined) request.onAnswer({ status, body, retryAfter })
  }
  stream.setEncoding('utf8')
  stream.on('response', (headers) => {
    status = headers[':status']
    retryAfter = headers['retry-after']
  })
  stream.on('data', (chunk: string) => {
    body += chunk
  })
  stream.on('end', () => {
    if (status !== undefined) report(answer)
  })
  stream.on('error', () => {}) // `close` follows
  stream.on('close', () => {
    const loss = onClose()
    // The status decides; a body that was cut off only explains.
    report(() => (status === undefined ? request.onLoss(loss) : answer()))
  })
  stream.end(request.body)
  return {
    giveUp: () => {
      reported = true
      stream.close(constants.NGHTTP2_CANCEL)
    },
  }
}

/** A connection whose peer is gone without a word looks like one whose peer is slow; a ping tells them apart. */
const createPings = (
  session: ClientHttp2Session,
  { pingIntervalMs, pingTimeoutMs }: FcmSessionOptions,
  onSilence: () => void,
) => {
  let interval: NodeJS.Timeout | undefined
  let waiting: NodeJS.Timeout | undefined
  const answered = (): void => {
    clearTimeout(waiting)
    waiting = undefined
  }
  const now = (): void => {
    if (waiting !== undefined || session.destroyed || session.connecting) return
    waiting = setTimeout(onSilence, pingTimeoutMs).unref()
    // A ping that fails is the end of the session, which is told otherwise.
    session.ping((error) => {
      if (error === null) answered()
    })
  }
  return {
    now,
    start: () => {
      interval = setInterval(now, pingIntervalMs).unref()
    },
    stop: () => {
      clearInterval(interval)
      answered()
    },
  }
}

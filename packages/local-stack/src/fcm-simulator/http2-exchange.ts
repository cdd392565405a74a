import { constants, createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Connection, Exchange, HandleExchange } from './exchange.ts'
import { tooLong } from './too-long.ts'

/** As many as Google's front end allows. */
const maxConcurrentStreams = 100

interface SessionState extends Connection {
  readonly protocol: 'http2'
  /** The highest stream whose message was taken: a GOAWAY must name this one or a later one. */
  highestAccepted: number
  /** Streams above it are not looked at, as a GOAWAY has promised. */
  lastTaken: number
}

export const createHttp2Side = (handle: HandleExchange): Http2Server => {
  const states = new WeakMap<ServerHttp2Session, SessionState>()
  const server = createServer({ settings: { maxConcurrentStreams } })
  server.on('session', (session) => {
    states.set(session, { protocol: 'http2', highestAccepted: 0, lastTaken: Number.POSITIVE_INFINITY })
    session.on('error', () => {}) // a client that goes away in the middle is its own affair
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    const { session } = stream
    const state = session && states.get(session as ServerHttp2Session)
    if (!state) return
    let body = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      body += chunk
      if (tooLong(body)) stream.close(constants.NGHTTP2_CANCEL)
    })
    stream.on('end', () => {
      if (stream.destroyed || (stream.id ?? 0) > state.lastTaken) return
      handle({
        method: headers[':method'] ?? '',
        path: headers[':path'] ?? '',
        authorization: headers.authorization,
        body,
        connection: state,
        ...actionsOn(stream, session as ServerHttp2Session, state),
      })
    })
  })
  return server
}

const actionsOn = (
  stream: ServerHttp2Stream,
  session: ServerHttp2Session,
  state: SessionState,
): Pick<Exchange, 'respond' | 'accept' | 'drop' | 'goAway' | 'refuseStream'> => {
  const id = stream.id ?? 0
  const refuseStream = () => stream.close(constants.NGHTTP2_REFUSED_STREAM)
  return {
    respond: ({ status, body, headers }) => {
      if (stream.destroyed || stream.closed) return
      stream.respond({ ':status': status, ...headers })
      stream.end(body)
    },
    accept: () => {
      state.highestAccepted = Math.max(state.highestAccepted, id)
    },
    // Below HTTP/2: `session.destroy()` would say goodbye first.
    drop: () => session.socket?.resetAndDestroy(),
    goAway: ({ accepted, errorCode }) => {
      if (session.destroyed) return
      state.lastTaken = Math.min(state.lastTaken, Math.max(state.highestAccepted, accepted ? id : 0))
      if (!accepted && state.lastTaken > id) refuseStream()
      session.goaway(errorCode, state.lastTaken)
    },
    refuseStream,
  }
}

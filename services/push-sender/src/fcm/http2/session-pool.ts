import { type FcmSession, type FcmSessionOptions, openFcmSession } from './fcm-session.ts'
import type { Request, WrittenRequest } from './written-request.ts'

export interface PoolOptions extends Omit<FcmSessionOptions, 'onChange' | 'onAnswered'> {
  readonly maxSessions: number
}

/** A request that waits for room on a connection. */
export interface PooledRequest extends Request {
  /** Right before it would be written: false if it is settled already or held back, and not to be written. */
  mayBeWritten(): boolean
  /** No connection could be made. */
  onUnreachable(): void
  onWritten(written: WrittenRequest): void
}

export interface SessionPool {
  submit(request: PooledRequest): void
  /** Lets what is written end within the time, then cuts the connections. */
  close(timeoutMs: number): Promise<void>
}

const maxFruitless = 3

/**
 * Requests in the order they came, each on the connection with the most room; another one is opened when all are full.
 * After a connection was lost, each carries a single request until something is answered: a peer that takes a
 * connection only to drop it costs one message each time, not a hundred.
 */
export const createSessionPool = ({ maxSessions, ...options }: PoolOptions): SessionPool => {
  let sessions: FcmSession[] = []
  let queue: PooledRequest[] = []
  let head = 0
  let closed = false
  let cautious = false
  /** Connections in a row that went away while requests were waiting, without one having been written. */
  let fruitless = 0
  let onIdle = (): void => {}

  const roomiest = (): FcmSession | undefined => {
    let best: FcmSession | undefined
    for (const session of sessions) if (roomOn(session) > (best ? roomOn(best) : 0)) best = session
    return best
  }
  const roomOn = (session: FcmSession): number =>
    cautious ? Math.min(session.room(), 1 - session.active()) : session.room()

  const open = (): void => {
    let wasOpened = false
    const session = openFcmSession({
      ...options,
      onEvent: (event, cause) => {
        if (event === 'lost' || event === 'silent') cautious = true
        if (event !== 'opened' && head < queue.length) fruitless++
        options.onEvent(event, cause)
      },
      onAnswered: () => {
        cautious = false
      },
      onChange: () => {
        wasOpened ||= session.state() === 'open'
        if (session.state() === 'ended') forget(session, wasOpened)
        pump()
      },
    })
    sessions.push(session)
  }

  const forget = (session: FcmSession, wasOpened: boolean): void => {
    if (!sessions.includes(session)) return
    sessions = sessions.filter((other) => other !== session)
    // A connection that was lost is replaced. One that could not be made would fail again: whoever waits is told.
    if (!wasOpened && !hasHope()) failAll()
    if (sessions.length === 0) onIdle()
  }
  const hasHope = (): boolean => sessions.some((session) => ['connecting', 'open'].includes(session.state()))

  const takeNext = (): PooledRequest | undefined => {
    const request = queue[head++]
    if (head >= queue.length) {
      queue = []
      head = 0
    }
    return request
  }

  const failAll = (): void => {
    const waiting = queue.slice(head)
    queue = []
    head = 0
    for (const request of waiting) request.onUnreachable()
  }

  /** Somebody takes connections and sends them away: to go on at once would be a storm. */
  const giveUp = (): void => {
    fruitless = 0
    failAll()
  }

  const writeOn = (session: FcmSession, request: PooledRequest): void => {
    try {
      fruitless = 0
      request.onWritten(session.write(request))
    } catch {
      // Node refuses a request on a session that has just ended, and headers that are none: nothing was written.
      request.onUnreachable()
    }
  }

  const pump = (): void => {
    while (head < queue.length) {
      const session = roomiest()
      if (session === undefined) break
      const request = takeNext()
      if (request?.mayBeWritten()) writeOn(session, request)
    }
    if (head >= queue.length || closed) return
    const live = sessions.filter((session) => ['connecting', 'open'].includes(session.state()))
    const isConnecting = live.some((session) => session.state() === 'connecting')
    if (fruitless > maxFruitless) giveUp()
    else if (live.length < maxSessions && !isConnecting) open()
  }

  return {
    submit: (request) => {
      if (closed) return request.onUnreachable()
      queue.push(request)
      pump()
    },
    close: async (timeoutMs) => {
      closed = true
      failAll()
      if (sessions.length === 0) return
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve
      })
      for (const session of sessions) session.end()
      const timer = setTimeout(() => {
        for (const session of sessions) session.destroy()
      }, timeoutMs)
      await idle
      clearTimeout(timer)
    },
  }
}

import type { ClientHttp2Session } from 'node:http2'

export interface Pings {
  /** Asks at once: a request was not answered in time. */
  now(): void
  start(): void
  stop(): void
}

/** A connection whose peer is gone without a word looks like one whose peer is slow; a ping tells them apart. */
export const createPings = (
  session: ClientHttp2Session,
  { pingIntervalMs, pingTimeoutMs }: { pingIntervalMs: number; pingTimeoutMs: number },
  onSilence: () => void,
): Pings => {
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

import type { Answer } from './answer.ts'

/** One request, over whichever protocol it came, and all that can be done about it. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
  /** The same object for every exchange of a connection. */
  readonly connection: Connection
  respond(answer: Answer): void
  /** The stream or request was taken, so that a GOAWAY must not deny it. */
  accept(): void
  drop(): void
  /** Over HTTP/1.1, which has no such thing, the connection is cut. */
  goAway(options: { accepted: boolean; errorCode: number }): void
  refuseStream(): void
}

export interface Connection {
  readonly protocol: 'http1' | 'http2'
}

export type HandleExchange = (exchange: Exchange) => void

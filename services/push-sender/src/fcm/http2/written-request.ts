import { type ClientHttp2Stream, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import type { HttpAnswer } from '../read-answer.ts'
import { classifyLoss, type Loss } from './classify-loss.ts'

export interface Request {
  readonly headers: OutgoingHttpHeaders
  readonly body: string
  onAnswer(answer: HttpAnswer): void
  onLoss(loss: Loss): void
}

/** What a request has to know of its connection. */
export interface Carrier {
  goawayLastId(): number | undefined
  hasEnded(): boolean
  onAnswered(): void
  onClosed(): void
  doubt(): void
}

type Carrying = ClientHttp2Stream & { written: WrittenRequest }

/**
 * A request on its stream. It reports once: an answer or a loss. There is one for every message, thousands a second: it
 * is a class whose listeners are shared by all because closures of their own cost a fifth of the throughput.
 */
export class WrittenRequest {
  readonly #stream: ClientHttp2Stream
  readonly #request: Request
  readonly #carrier: Carrier
  #status: number | undefined
  #retryAfter: string | undefined
  readonly #chunks: Buffer[] = []
  #reported = false

  constructor(stream: ClientHttp2Stream, request: Request, carrier: Carrier) {
    this.#stream = stream
    this.#request = request
    this.#carrier = carrier
    const carrying = Object.assign(stream, { written: this }) as Carrying
    carrying.on('response', onResponse)
    carrying.on('data', onData)
    carrying.on('end', onEnd)
    carrying.on('error', ignore) // `close` follows
    carrying.on('close', onClose)
    carrying.end(request.body)
  }

  /** Nobody waits for it any more; nothing is reported after this. */
  giveUp(): void {
    this.#reported = true
    this.#stream.close(constants.NGHTTP2_CANCEL)
  }

  /** Has the connection asked for a sign of life. */
  doubt(): void {
    this.#carrier.doubt()
  }

  begin(headers: IncomingHttpHeaders & { ':status'?: number }): void {
    this.#status = headers[':status']
    this.#retryAfter = headers['retry-after']
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  answer(): void {
    if (this.#reported || this.#status === undefined) return
    this.#reported = true
    this.#carrier.onAnswered()
    // Decoded at the end: nearly always it is one chunk, and a decoder for each stream costs more than the text.
    const body = (this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)).toString()
    this.#request.onAnswer({ status: this.#status, body, retryAfter: this.#retryAfter })
  }

  close(): void {
    // The status decides; a body that was cut off only explains.
    this.answer()
    const loss = this.#reported ? undefined : this.#loss()
    this.#reported = true
    this.#carrier.onClosed()
    if (loss) this.#request.onLoss(loss)
  }

  #loss(): Loss {
    const { id, rstCode } = this.#stream
    return classifyLoss({
      id,
      rstCode,
      goawayLastId: this.#carrier.goawayLastId(),
      sessionEnded: this.#carrier.hasEnded(),
    })
  }
}

function onResponse(this: Carrying, headers: IncomingHttpHeaders): void {
  this.written.begin(headers)
}

function onData(this: Carrying, chunk: Buffer): void {
  this.written.add(chunk)
}

function onEnd(this: Carrying): void {
  this.written.answer()
}

function onClose(this: Carrying): void {
  this.written.close()
}

function ignore(): void {}

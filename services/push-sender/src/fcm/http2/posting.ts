import type { OutgoingHttpHeaders } from 'node:http2'
import { type HttpAnswer, readAnswer } from '../read-answer.ts'
import type { HeldBack, TransportResult } from '../transport.ts'
import type { Loss } from './classify-loss.ts'
import type { PooledRequest } from './session-pool.ts'
import type { WrittenRequest } from './written-request.ts'

/** What the messages of one call have in common. */
export interface PostingContext {
  readonly headers: OutgoingHttpHeaders
  /** By `performance.now()`. */
  readonly deadlineAt: number
  holdBack(): HeldBack | undefined
  settle(index: number, result: TransportResult): void
}

/** What becomes of one message: it waits, is written, is settled, in this order and each once; the second may be left out. */
export class Posting implements PooledRequest {
  readonly headers: OutgoingHttpHeaders
  readonly body: string
  readonly #context: PostingContext
  readonly #index: number
  #written: WrittenRequest | undefined
  #writtenAt = 0
  #settled = false

  constructor(context: PostingContext, index: number, body: string) {
    this.headers = context.headers
    this.body = body
    this.#context = context
    this.#index = index
  }

  mayBeWritten(): boolean {
    if (this.#settled) return false
    this.#writtenAt = performance.now()
    // A process that was stopped wakes up before its timers do: whoever took over must not meet a late message.
    if (this.#writtenAt >= this.#context.deadlineAt) this.end('deadline')
    else this.#holdBack()
    return !this.#settled
  }

  onWritten(written: WrittenRequest): void {
    this.#written = written
  }

  onUnreachable(): void {
    this.#settle({ kind: 'not-taken', code: 'CONNECTION_FAILED', latencyMs: 0 })
  }

  onAnswer(answer: HttpAnswer): void {
    this.#settle(readAnswer(answer, this.#latencyMs(), Date.now()))
  }

  onLoss(loss: Loss): void {
    this.#settle({ ...loss, latencyMs: this.#latencyMs() })
  }

  /** Settles it if nothing else has. */
  end(reason: 'deadline' | 'aborted'): void {
    if (this.#settled) return
    if (this.#written === undefined) {
      const code = reason === 'deadline' ? 'NOT_SENT_IN_TIME' : 'ABORTED_BEFORE_SEND'
      this.#settle({ kind: 'not-taken', code, latencyMs: 0 })
      return
    }
    this.#written.giveUp()
    if (reason === 'deadline') this.#written.doubt()
    const code = reason === 'deadline' ? 'DEADLINE_EXCEEDED' : 'ABORTED'
    this.#settle({ kind: 'unknown', code, latencyMs: this.#latencyMs() })
  }

  #holdBack(): void {
    const held = this.#context.holdBack()
    if (held) this.#settle(held)
  }

  #latencyMs(): number {
    return performance.now() - this.#writtenAt
  }

  #settle(result: TransportResult): void {
    if (this.#settled) return
    this.#settled = true
    this.#context.settle(this.#index, result)
  }
}

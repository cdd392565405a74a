import type { Channel, NotificationEvent } from '@dropbell/schemas/generated/notification-event'

/** One attempt of one delivery: the ledger has marked it attempted before a provider sees it. */
export interface Outgoing {
  readonly deliveryId: string
  readonly notification: NotificationEvent
  readonly target: Target
}

export interface Target {
  readonly id: string
  /** Where it goes: a device's token, a phone number, an e-mail address; a user's id in the app. Never logged. */
  readonly address: string
  /** Of a device. */
  readonly platform?: Platform
  readonly locale?: string
}

export const platforms = ['IOS', 'ANDROID', 'WEB'] as const

export type Platform = (typeof platforms)[number]

/**
 * How an attempt ended, as far as the sender can know it. The line between `not-taken` and `unknown` is what keeps a
 * person from being told twice: only what certainly did not reach the provider may be sent again without asking.
 */
export type SendResult =
  | { readonly kind: 'accepted'; readonly latencyMs: number; readonly providerId: string | null }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly retryable: boolean
      readonly retryAfterMs?: number
      /** The address is dead: a device is to be marked INVALID. */
      readonly invalidTarget?: boolean
      readonly latencyMs: number
    }
  /** Known not to have been taken by the provider: may be tried again. */
  | { readonly kind: 'not-taken'; readonly code: string; readonly latencyMs: number }
  /** Written, and no answer: it may have arrived. */
  | { readonly kind: 'unknown'; readonly code: string; readonly latencyMs: number }
  /** Not attempted at all (budget, pause, open breaker): burns no attempt. */
  | { readonly kind: 'held-back'; readonly code: string; readonly retryAfterMs: number }

export interface Reservation {
  readonly granted: number
  /** When to ask again for the rest; 0 when all was granted. */
  readonly retryAfterMs: number
}

/** TRANSACTIONAL may go on without Redis, on a local share of the budget; everything else waits. */
export type TrafficKind = 'promotional' | 'transactional'

export interface SendOptions {
  readonly deadlineMs: number
  /** Ends the call early: what was not written is `not-taken`, what was is `unknown`. */
  readonly signal?: AbortSignal
  /** Called once per message as it settles, so that a long batch can be settled piece by piece. */
  onResult?(index: number, result: SendResult): void
}

/** One way out to people. Every implementation passes `testing/provider-contract.ts`. */
export interface Provider {
  readonly channel: Channel
  /**
   * Asked before rows are marked attempted: how many may be sent now. 0 while a breaker is open, a pause is on, or the
   * budget is spent or cannot be read.
   */
  reserve(wanted: number, kind: TrafficKind): Promise<Reservation>
  /** Settles every message within `deadlineMs`, in the order given; never rejects for a single message. */
  send(messages: readonly Outgoing[], options: SendOptions): Promise<SendResult[]>
  close(): Promise<void>
}

/** A way out for every channel. */
export type Providers = Readonly<Record<Channel, Provider>>

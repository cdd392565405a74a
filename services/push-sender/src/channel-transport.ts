import type { Outgoing, SendResult } from './provider.ts'

/** Why a message certainly was not taken. */
export const notTakenCodes = [
  'CONNECTION_FAILED',
  'AUTH_FAILED',
  'NOT_SENT_IN_TIME',
  'ABORTED_BEFORE_SEND',
  'REGISTRY_UNAVAILABLE',
  'CLOSED',
] as const

export type NotTakenCode = (typeof notTakenCodes)[number]

/** Why nobody knows. */
export const unknownCodes = [
  'DEADLINE_EXCEEDED',
  'CONNECTION_LOST',
  'ABORTED',
  'GATEWAY_FAILED',
  'PUBLISH_FAILED',
] as const

export type UnknownCode = (typeof unknownCodes)[number]

export const heldBackCodes = ['BREAKER_OPEN', 'PUBLISH_UNDER_WAY'] as const

export type HeldBackCode = (typeof heldBackCodes)[number]

export type HeldBack = Extract<SendResult, { kind: 'held-back' }>

export interface TransportOptions {
  /** By `performance.now()`. */
  readonly deadlineAt: number
  readonly signal?: AbortSignal | undefined
  /** Asked right before a message is written: what keeps it from being written, if anything does. */
  holdBack(): HeldBack | undefined
  /** Once for every message, before the deadline. */
  settle(index: number, result: SendResult): void
}

/** A way to whoever takes the messages of a channel. It writes a message once; whether again is the ledger's business. */
export interface ChannelTransport {
  /** Never rejects; resolves when all messages are settled. */
  send(messages: readonly Outgoing[], options: TransportOptions): Promise<void>
  close(): Promise<void>
}

export const notTaken = (code: NotTakenCode, latencyMs = 0): SendResult => ({ kind: 'not-taken', code, latencyMs })

export const unknown = (code: UnknownCode, latencyMs: number): SendResult => ({ kind: 'unknown', code, latencyMs })

export const heldBack = (code: HeldBackCode, retryAfterMs: number): HeldBack => ({
  kind: 'held-back',
  code,
  retryAfterMs,
})

import type { TokenMessage } from 'firebase-admin/messaging'
import type { SendResult } from '../provider.ts'

/** Why a message certainly was not taken. */
export const notTakenCodes = [
  'CONNECTION_FAILED',
  'REFUSED_STREAM',
  'GOAWAY',
  'NOT_SENT_IN_TIME',
  'ABORTED_BEFORE_SEND',
  'NO_ACCESS_TOKEN',
  'CLOSED',
] as const

export type NotTakenCode = (typeof notTakenCodes)[number]

/** Why nobody knows. */
export const unknownCodes = [
  'DEADLINE_EXCEEDED',
  'CONNECTION_LOST',
  'STREAM_RESET',
  'ABORTED',
  'GATEWAY_FAILED',
  'SDK_FAILED',
] as const

export type UnknownCode = (typeof unknownCodes)[number]

export type HeldBack = Extract<SendResult, { kind: 'held-back' }>

/** As a provider's result, but for INVALID_ARGUMENT that does not say of what: it may be the token. */
export type TransportResult = SendResult & { readonly tokenInDoubt?: boolean }

export interface TransportOptions {
  /** By `performance.now()`. */
  readonly deadlineAt: number
  readonly signal?: AbortSignal | undefined
  /** Asked right before a message is written: what keeps it from being written, if anything does. */
  holdBack(): HeldBack | undefined
  /** Once for every message, before the deadline. */
  settle(index: number, result: TransportResult): void
}

/** A way to the FCM HTTP v1 API. */
export interface FcmTransport {
  /** Never rejects; resolves when all messages are settled. */
  send(messages: readonly TokenMessage[], options: TransportOptions): Promise<void>
  /** By a dry run, which reaches no device: whether FCM refuses the token whatever is sent to it. */
  refusesToken(token: string, options: Pick<TransportOptions, 'deadlineAt' | 'signal'>): Promise<boolean>
  close(): Promise<void>
}

import type { HeldBack } from './transport.ts'

/** Why a message was not even tried. */
export const heldBackCodes = ['FCM_PAUSED', 'FCM_BREAKER_OPEN'] as const

export type HeldBackCode = (typeof heldBackCodes)[number]

export const heldBack = (code: HeldBackCode, retryAfterMs: number): HeldBack => ({
  kind: 'held-back',
  code,
  retryAfterMs,
})

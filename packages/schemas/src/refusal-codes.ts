import type { OutcomeStatus } from './generated/notification-outcome.ts'

/**
 * Why a notification, a channel or a target is refused, and what that makes of the notification: the `code` of its row,
 * and the reason in its outcome.
 */
export const refusalStatuses = {
  EXPIRED: 'EXPIRED',
  OPTED_OUT: 'USER_OPTED_OUT',
  CHANNEL_OPTED_OUT: 'USER_OPTED_OUT',
  NO_CONSENT: 'USER_OPTED_OUT',
  NO_CHANNEL: 'FAILED',
  NO_DEVICE: 'FAILED',
  DEVICE_INVALID: 'FAILED',
  NO_PHONE: 'FAILED',
  NO_EMAIL: 'FAILED',
  PRICE_ROSE: 'STALE',
  SOLD_OUT: 'STALE',
  SUPERSEDED: 'SUPERSEDED',
  DAILY_LIMIT: 'RATE_LIMITED',
  DUPLICATE: 'RATE_LIMITED',
} as const satisfies Record<string, OutcomeStatus>

export type RefusalCode = keyof typeof refusalStatuses

export const isRefusalCode = (code: string): code is RefusalCode => Object.hasOwn(refusalStatuses, code)

export const refusalCodes = Object.keys(refusalStatuses) as RefusalCode[]

/** There is no way to the user there: what else could be done is not the worse for it. */
const unreachableCodes: ReadonlySet<string> = new Set<RefusalCode>([
  'CHANNEL_OPTED_OUT',
  'NO_CONSENT',
  'NO_DEVICE',
  'DEVICE_INVALID',
  'NO_PHONE',
  'NO_EMAIL',
])

export const isUnreachable = (code: string | null): boolean => code !== null && unreachableCodes.has(code)

/** Why something waits in the ledger. */
export const waitCodes = ['QUIET_HOURS', 'OFFER_UNKNOWN', 'SLOT_UNKNOWN', 'HELD_BACK'] as const

export type WaitCode = (typeof waitCodes)[number]

/** Reason of an outcome while something of it is still to be sent, and nothing stands in its way. */
export const inProgress = 'IN_PROGRESS'

/** A provider's code, or one of ours. */
export const statusOf = (code: string): OutcomeStatus =>
  (refusalStatuses as Readonly<Record<string, OutcomeStatus>>)[code] ?? 'FAILED'

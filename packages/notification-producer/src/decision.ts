export const refusalReasons = ['expired', 'already-known', 'opted-out', 'duplicate', 'daily-limit'] as const

export type RefusalReason = (typeof refusalReasons)[number]

export interface Refusal {
  readonly kind: 'refused'
  readonly reason: RefusalReason
  /** Of a duplicate: the event of which the user was told. */
  readonly blockingEventId?: string
  /** At the daily limit: how many the user had that day. */
  readonly dayCount?: number
}

/** Whether a user may be told. */
export type Decision = Admitted | Refusal

export interface Admitted {
  readonly kind: 'admitted'
  /** The event held the slot already: it asked before, and may have published since. */
  readonly again?: true
}

import type { LedgerEntry } from '@dropbell/database/ledger/read-entries'
import type { AudienceRule } from '@dropbell/offers/audience-rules'
import type { Detection } from '@dropbell/offers/detect-trigger'
import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { NotificationOutcome } from '@dropbell/schemas/generated/notification-outcome'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import type { Behaviour, RecordPlace, SourceName, SourceReport } from './trace.ts'

/** Where a record is, and when it was written. */
export interface FoundRecord {
  readonly place: RecordPlace
  readonly at: number
}

export interface FoundEvent extends FoundRecord {
  readonly eventId: string | null
  /** Null where the bytes cannot be read; `fault` says why. */
  readonly event: ProductInventoryEvent | null
  readonly fault: string | null
  readonly replayCount: number
}

export interface FoundDeadLetter extends FoundRecord {
  readonly eventId: string | null
  readonly notificationId: string | null
  readonly productId: string | null
  /** `topic partition:offset`. */
  readonly origin: string | null
  readonly group: string | null
  readonly reason: string
  readonly message: string | null
  readonly attempts: number | null
}

/** What was looked through to find something. */
export interface Coverage {
  readonly since: number
  /** Whether it was more than may be looked through, so that a part of it was left out. */
  readonly cut: boolean
}

export interface BehaviourFinding {
  readonly rule: AudienceRule
  /** What made the user a target. */
  readonly match: Behaviour | null
  readonly nearest: Behaviour | null
}

export interface HeldSlot {
  readonly eventId: string
  readonly date: string
}

/** Which way is spoken of. */
export interface Identity {
  readonly notificationId: string | null
  readonly eventId: string | null
  readonly userId: string | null
  readonly productId: string | null
  readonly type: NotificationType | null
  readonly title: string | null
  readonly eventTimestamp: number | null
}

/** All that the sources said about one way. Left out is what nobody was asked or could say. */
export interface WayFacts extends Identity {
  readonly events?: readonly FoundEvent[]
  readonly detection?: Detection | undefined
  readonly behaviour?: BehaviourFinding | undefined
  readonly slot?: HeldSlot | undefined
  /** Of the local date on which it was admitted, or would have been. */
  readonly day?: { readonly date: string; readonly count: number | null } | undefined
  readonly published?: FoundRecord | undefined
  readonly deadLetters?: readonly FoundDeadLetter[]
  readonly ledger?: LedgerEntry | undefined
  /** Every revision that somebody still has, in any order. */
  readonly outcomes?: readonly NotificationOutcome[]
}

/** Why something may be missing. */
export interface AssemblyContext {
  readonly now: number
  readonly sources: Readonly<Record<SourceName, SourceReport['state']>>
  readonly coverage: Coverage | undefined
}

import type { IgnoredReason } from '@dropbell/offers/detect-trigger'
import type { ProductState } from '@dropbell/offers/product-state'
import type { Channel, NotificationType } from '@dropbell/schemas/generated/notification-event'
import type { OutcomeStatus } from '@dropbell/schemas/generated/notification-outcome'

/** Times are milliseconds since the epoch everywhere. Null where nobody knows. */
export type Moment = number | null

export interface RecordPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: string
}

export interface Behaviour {
  readonly actionType: string
  readonly at: number
}

export type RefusalReason = 'expired' | 'opted-out' | 'duplicate' | 'daily-limit' | 'fan-out-stopped'

/** One thing that happened to an event on its way to a user, or did not. In the order of the way, not of the clock. */
export type Step =
  | { kind: 'received'; at: number; place: RecordPlace; eventType: string | null; change: string; replayCount: number }
  | {
      kind: 'dead-lettered'
      at: number
      place: RecordPlace
      origin: string | null
      group: string | null
      reason: string
      message: string | null
      attempts: number | null
    }
  | { kind: 'detected'; at: Moment; trigger: 'price-drop' | 'restock'; what: string }
  | { kind: 'ignored'; at: Moment; reason: IgnoredReason }
  | { kind: 'targeted'; at: Moment; behaviour: Behaviour; days: number }
  /** `nearest`: the last thing the user did with the product before the event, which did not count. */
  | { kind: 'not-targeted'; at: Moment; actionTypes: readonly string[]; days: number; nearest: Behaviour | null }
  /** `countOfDay`: how many the user had on that local date by now; known as long as Redis keeps it. */
  | { kind: 'admitted'; at: Moment; localDate: string | null; countOfDay: number | null }
  | { kind: 'refused'; at: number; reason: RefusalReason; blockingEventId: string | null; dayCount: number | null }
  | { kind: 'published'; at: number; place: RecordPlace }
  | { kind: 'planned'; at: number; targets: readonly PlannedTarget[]; refusal: string | null }
  | { kind: 'deferred'; at: Moment; channel: Channel; target: string; until: number; code: string | null }
  | {
      kind: 'attempted'
      at: Moment
      channel: Channel
      target: string
      attempt: number
      code: string | null
      latencyMs: number | null
    }
  | { kind: 'retry-due'; at: Moment; channel: Channel; target: string; code: string | null; due: Moment }
  | { kind: 'withheld'; at: Moment; channel: Channel; target: string; code: string }
  | { kind: 'device-invalid'; at: number; target: string; reason: string }
  | { kind: 'outcome'; at: number; status: OutcomeStatus; reason: string | null; revision: number }

export type StepKind = Step['kind']

export interface PlannedTarget {
  readonly channel: Channel
  /** The id of a device; `phone`, `email` or `inbox`; empty where a channel was refused as a whole. */
  readonly target: string
}

/** How it ended, as far as anybody knows; the last five where there is no outcome. */
export type EndingStatus = OutcomeStatus | 'IGNORED' | 'NOT_A_TARGET' | 'DEAD_LETTERED' | 'UNDER_WAY' | 'UNKNOWN'

export interface Ending {
  readonly status: EndingStatus
  readonly reason: string | null
}

/** The way of one event to one user. */
export interface Way {
  /** Null where there never was one to be, such as for an event that was ignored. */
  readonly notificationId: string | null
  readonly eventId: string | null
  readonly userId: string | null
  readonly productId: string | null
  readonly type: NotificationType | null
  readonly title: string | null
  readonly steps: readonly Step[]
  readonly ending: Ending
  readonly unknown: readonly Unknown[]
}

export type UnknownWhat = 'event' | 'audience' | 'slot' | 'publication' | 'delivery' | 'earlier-attempts' | 'outcome'

export type UnknownWhy =
  | 'source-unavailable'
  | 'past-retention'
  | 'beyond-scan'
  | 'forgotten'
  | 'not-recorded'
  | 'not-yet'

/** What belongs to the way and is not in it. */
export interface Unknown {
  readonly what: UnknownWhat
  readonly why: UnknownWhy
  /** For a person. */
  readonly detail: string
}

export type SourceName = 'history' | 'ledger' | 'redis' | 'kafka' | 'behaviours'

export interface SourceReport {
  readonly source: SourceName
  readonly state: 'answered' | 'not-asked' | 'unavailable' | 'not-configured'
  readonly detail: string | null
}

/** What is true of the user now, and may have been otherwise then. */
export interface UserNow {
  readonly userId: string
  readonly timezone: string
  readonly optedOut: readonly NotificationType[]
  readonly channels: readonly Channel[]
  readonly quietHours: { readonly start: string; readonly end: string } | null
  /** Of the user's local date of today. */
  readonly today: { readonly date: string; readonly count: number | null }
}

export interface EventSummary {
  readonly eventId: string
  readonly productId: string | null
  readonly steps: readonly Step[]
  readonly ending: Ending
  /** Notifications by how they ended; null where nobody could count. */
  readonly outcomes: readonly OutcomeCount[] | null
  readonly fanout: { readonly servedUsers: number; readonly ended: boolean } | null
  readonly unknown: readonly Unknown[]
}

export interface OutcomeCount extends Ending {
  readonly count: number
}

export type Question =
  | { readonly kind: 'notification'; readonly notificationId: string }
  | { readonly kind: 'event'; readonly eventId: string }
  | { readonly kind: 'event-and-user'; readonly eventId: string; readonly userId: string }
  | { readonly kind: 'user'; readonly userId: string; readonly productId: string | null }

export interface Trace {
  readonly question: Question
  /** Whether anything at all is known of what was asked for. */
  readonly found: boolean
  readonly event: EventSummary | null
  readonly user: UserNow | null
  readonly product: { readonly productId: string; readonly now: ProductState } | null
  /** The newest first. */
  readonly ways: readonly Way[]
  readonly sources: readonly SourceReport[]
}

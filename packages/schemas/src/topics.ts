import type { Contract, SchemaHistory } from './contract.ts'
import { type FanoutRequest, fanoutRequest } from './generated/fanout-request.ts'
import { type NotificationEvent, notificationEvent } from './generated/notification-event.ts'
import { type NotificationOutcome, notificationOutcome } from './generated/notification-outcome.ts'
import { type ProductInventoryEvent, productInventoryEvent } from './generated/product-inventory-event.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Most groups share a topic's records among their instances; a gateway needs every record in every instance. */
export type ConsumerGroup =
  | { readonly kind: 'shared'; readonly id: string }
  | { readonly kind: 'per-instance'; readonly idPrefix: string }

/** What creating, registering and documenting a topic needs to know. */
export interface TopicDeclaration {
  readonly name: string
  /** What the key means, for the documentation; `keyOf` is how it is made. */
  readonly key: string
  readonly contract: SchemaHistory
  readonly group: ConsumerGroup
  readonly partitions: number
  readonly retentionMs: number
  /** What the broker makes of whatever a producer sends; left out, it keeps what it gets. */
  readonly compression?: 'gzip'
  readonly purpose: string
}

export interface Topic<T> extends TopicDeclaration {
  readonly contract: Contract<T>
  readonly keyOf: (value: T) => string
}

const PARTITIONS = 6

export const productInventoryTopic: Topic<ProductInventoryEvent> = {
  name: 'product.inventory.v1',
  key: 'productId',
  keyOf: (event) => event.productId,
  contract: productInventoryEvent,
  group: { kind: 'shared', id: 'notification-consumer-group' },
  partitions: PARTITIONS,
  retentionMs: 7 * DAY_MS,
  // Other teams may write lz4, snappy or zstd, which our client cannot read: one such batch would stop every consumer.
  compression: 'gzip',
  purpose: 'Price and stock changes, written by other teams.',
}

export const notificationFanoutTopic: Topic<FanoutRequest> = {
  name: 'notification.fanout.v1',
  key: 'eventId',
  keyOf: (request) => request.event.eventId,
  contract: fanoutRequest,
  group: { kind: 'shared', id: 'notification-fanout-group' },
  partitions: PARTITIONS,
  retentionMs: 7 * DAY_MS,
  purpose: 'Audiences too large for one page, told page by page.',
}

export const notificationPushTopic: Topic<NotificationEvent> = {
  name: 'notification.push.v1',
  key: 'userId',
  keyOf: (notification) => notification.userId,
  contract: notificationEvent,
  group: { kind: 'shared', id: 'push-sender-group' },
  partitions: PARTITIONS,
  // A day longer than the longest validity (7 days): nothing that may still be sent is deleted unread.
  retentionMs: 8 * DAY_MS,
  purpose: 'Notifications to be sent.',
}

export const notificationInappTopic: Topic<NotificationEvent> = {
  name: 'notification.inapp.v1',
  key: 'userId',
  keyOf: (notification) => notification.userId,
  contract: notificationEvent,
  group: { kind: 'per-instance', idPrefix: 'notification-gateway-' },
  partitions: PARTITIONS,
  // Only for who is connected now; the inbox keeps what was missed.
  retentionMs: DAY_MS,
  purpose: 'Notifications for the users who have the app open.',
}

export const notificationOutcomeTopic: Topic<NotificationOutcome> = {
  name: 'notification.outcome.v1',
  key: 'userId',
  // The summary of a stopped fan-out has no user.
  keyOf: (outcome) => outcome.userId ?? outcome.notificationId,
  contract: notificationOutcome,
  group: { kind: 'shared', id: 'history-indexer-group' },
  partitions: PARTITIONS,
  // Long enough to build the last month of the history again.
  retentionMs: 30 * DAY_MS,
  purpose: 'How every notification ended, and every refusal.',
}

export const TOPICS: readonly TopicDeclaration[] = [
  productInventoryTopic,
  notificationFanoutTopic,
  notificationPushTopic,
  notificationInappTopic,
  notificationOutcomeTopic,
]

/** A topic that Dropbell keeps for itself: no contract with anybody, no dead letters. */
export interface InternalTopicDeclaration {
  readonly name: string
  /** What key and value are, for the documentation. */
  readonly key: string
  readonly value: string
  readonly partitions: number
  /** Of each key the newest record, for ever. */
  readonly cleanup: 'compact'
  readonly purpose: string
}

export const dlqStateTopic: InternalTopicDeclaration = {
  name: 'dropbell.dlq-state.v1',
  key: '`<dlq topic>/<partition>/<offset>` or `run/<id>`',
  value: 'JSON',
  // One, so that whoever reads it to its end knows everything that was done before.
  partitions: 1,
  cleanup: 'compact',
  purpose: 'Which dead letters were dealt with, how, by whom, and the runs of `dropbell dlq` that did it.',
}

export const INTERNAL_TOPICS: readonly InternalTopicDeclaration[] = [dlqStateTopic]

/** Dead letters wait for a person: longer than any topic they come from. */
export const DEFAULT_DLQ_RETENTION_MS = 60 * DAY_MS
export const DEFAULT_DLQ_SUFFIX = '.dlq'
export const QUARANTINE_SUFFIX = '.quarantine'

export const dlqNameOf = (topicName: string, suffix: string = DEFAULT_DLQ_SUFFIX): string => `${topicName}${suffix}`

/** Where records end that keep coming back to a topic of dead letters. */
export const quarantineNameOf = (dlqName: string): string => `${dlqName}${QUARANTINE_SUFFIX}`

export const subjectOf = (topic: Pick<TopicDeclaration, 'name'>): string => `${topic.name}-value`

/** The group whose members share the records of a topic. */
export const sharedGroupOf = ({ name, group }: TopicDeclaration): string => {
  if (group.kind === 'shared') return group.id
  throw new RangeError(`Every instance reads all of ${name}`)
}

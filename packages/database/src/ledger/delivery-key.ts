import type { DeliveryRow } from '../delivery-row.ts'

/** Names a row of `deliveries`. */
export interface DeliveryKey {
  readonly notificationId: string
  readonly channel: DeliveryRow['channel']
  readonly targetId: string
}

/** As the first three parameters of a statement. Sorted, two statements seldom lock rows in opposite orders; a deadlock is tried again. */
export const keyColumns = (keys: readonly DeliveryKey[]): [string[], string[], string[]] => [
  keys.map(({ notificationId }) => notificationId),
  keys.map(({ channel }) => channel),
  keys.map(({ targetId }) => targetId),
]

export const inKeyOrder = <K extends DeliveryKey>(keys: readonly K[]): K[] =>
  [...keys].sort((a, b) => compare(a.notificationId, b.notificationId) || compare(a.targetId, b.targetId))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A wait that fits its column. A provider may ask for any time, and no delivery outlives a day's wait by much. */
export const wholeWaitMs = (milliseconds: number): number => Math.round(Math.min(Math.max(0, milliseconds), 86_400_000))

export const keyOf = (row: Pick<DeliveryRow, 'notification_id' | 'channel' | 'target_id'>): DeliveryKey => ({
  notificationId: row.notification_id,
  channel: row.channel,
  targetId: row.target_id,
})

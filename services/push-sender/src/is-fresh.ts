import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { SenderConfig } from './config.ts'

/** Nothing can have changed since its producer looked: neither the offer nor the user's date. */
export const isFresh = (
  notification: NotificationEvent,
  now: number,
  { OFFER_RECHECK_MS: longestMs }: Pick<SenderConfig, 'OFFER_RECHECK_MS'>,
): boolean => isYoung(notification, now, longestMs) && !mayBeLater(notification.timestamp, now)

/** A time ahead of that at which it was made is wrong. */
export const isYoung = ({ eventTimestamp, timestamp }: NotificationEvent, now: number, longestMs: number): boolean =>
  now - Math.min(eventTimestamp ?? timestamp, timestamp) <= longestMs

/** Midnights are at full quarters of an hour, wherever they are. */
const quarterMs = 900_000

const mayBeLater = (timestamp: number, now: number): boolean =>
  Math.floor(timestamp / quarterMs) !== Math.floor(now / quarterMs)

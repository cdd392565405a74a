import type { PlannedDelivery } from '@dropbell/database/ledger/claim-plans'
import type { Device } from '@dropbell/database/read-devices'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { Channel, NotificationEvent } from '@dropbell/schemas/generated/notification-event'

/** Why a notification, a channel or a device is refused: the `code` of its row, and the reason in its outcome. */
export const refusalCodes = [
  'EXPIRED',
  'OPTED_OUT',
  'CHANNEL_NOT_SERVED',
  'CHANNEL_OPTED_OUT',
  'NO_DEVICE',
  'NO_CONSENT',
  'DEVICE_INVALID',
] as const

export type RefusalCode = (typeof refusalCodes)[number]

export interface PlanContext {
  readonly recipient: Recipient
  readonly devices: readonly Device[]
  /** The channels there is a provider for. */
  readonly served: ReadonlySet<Channel>
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly now: number
}

export interface Plan {
  readonly refusal: RefusalCode | null
  readonly deliveries: readonly (PlannedDelivery & { readonly refusal: RefusalCode | null })[]
}

type DeliveryPlan = Plan['deliveries'][number]

/**
 * Where a notification goes, and why not elsewhere. TRANSACTIONAL asks for no preferences; that a device agreed to
 * pushes at all counts for it too.
 */
export const planDeliveries = (notification: NotificationEvent, context: PlanContext): Plan => {
  const { recipient, served, now, expiresAt } = context
  if (expiresAt <= now) return refuse('EXPIRED')
  if (hasOptedOut(notification, recipient)) return refuse('OPTED_OUT')
  const channels = [...new Set(notification.channels)].filter((channel) => served.has(channel))
  if (channels.length === 0) return refuse('CHANNEL_NOT_SERVED')
  return { refusal: null, deliveries: channels.flatMap((channel) => planChannel(notification, channel, context)) }
}

export const hasOptedOut = ({ notificationType }: NotificationEvent, recipient: Recipient): boolean =>
  notificationType !== 'TRANSACTIONAL' && recipient.optedOut.has(notificationType)

export const wantsChannel = (
  { notificationType }: NotificationEvent,
  channel: Channel,
  recipient: Recipient,
): boolean => notificationType === 'TRANSACTIONAL' || recipient.channels.includes(channel)

const refuse = (refusal: RefusalCode): Plan => ({ refusal, deliveries: [] })

const planChannel = (notification: NotificationEvent, channel: Channel, context: PlanContext): DeliveryPlan[] => {
  if (!wantsChannel(notification, channel, context.recipient)) return [refuseChannel(channel, 'CHANNEL_OPTED_OUT')]
  const targets = targetsOf[channel](context)
  return targets.length > 0 ? targets : [refuseChannel(channel, 'NO_DEVICE')]
}

const refuseChannel = (channel: Channel, refusal: RefusalCode): DeliveryPlan => ({ channel, targetId: '', refusal })

const toDevices = ({ devices }: PlanContext): DeliveryPlan[] =>
  devices.map(({ deviceId, pushConsent }) => ({
    channel: 'PUSH',
    targetId: deviceId,
    refusal: pushConsent ? null : 'NO_CONSENT',
  }))

/** Channels that are not served are not asked. */
const targetsOf: Readonly<Record<Channel, (context: PlanContext) => DeliveryPlan[]>> = {
  PUSH: toDevices,
  SMS: () => [],
  EMAIL: () => [],
  IN_APP: () => [],
}

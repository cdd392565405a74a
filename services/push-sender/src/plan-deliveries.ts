import type { PlannedDelivery } from '@dropbell/database/ledger/claim-plans'
import type { Contacts } from '@dropbell/database/read-contacts'
import type { Device } from '@dropbell/database/read-devices'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { Channel, NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { RefusalCode, WaitCode } from '@dropbell/schemas/refusal-codes'

export interface PlanContext {
  readonly recipient: Recipient
  readonly devices: readonly Device[]
  readonly contacts: Contacts | undefined
  /** When the user's quiet hours are over; undefined outside of them. In milliseconds since the epoch, as all times. */
  readonly quietUntil: number | undefined
  /** It needs not be judged before it is sent. */
  readonly isFresh: boolean
  readonly expiresAt: number
  readonly now: number
}

export interface Plan {
  readonly refusal: RefusalCode | null
  readonly deliveries: readonly DeliveryPlan[]
}

export type DeliveryPlan = PlannedDelivery & { readonly code?: RefusalCode | WaitCode }

/** Where a channel reaches a user, or why not there. */
interface PlannedTarget {
  readonly targetId: string
  readonly refusal?: RefusalCode
}

/** Of channels that reach a user in one place only. */
export const targetIds = { SMS: 'phone', EMAIL: 'email', IN_APP: 'inbox' } as const

/**
 * Gateways and mail servers take their time, and may take all of it: what goes there is left to a poller of the
 * channel's own, so that no push waits for it.
 */
const isLeft: Readonly<Record<Channel, boolean>> = { PUSH: false, IN_APP: false, SMS: true, EMAIL: true }

/**
 * Where a notification goes, when, and why not elsewhere. TRANSACTIONAL asks for no preferences and no quiet hours, and
 * is always in the inbox; that a device agreed to pushes at all counts for it too.
 */
export const planDeliveries = (notification: NotificationEvent, context: PlanContext): Plan => {
  const { recipient, now, expiresAt } = context
  if (expiresAt <= now) return refuse('EXPIRED')
  if (hasOptedOut(notification, recipient)) return refuse('OPTED_OUT')
  const channels = channelsOf(notification)
  if (channels.length === 0) return refuse('NO_CHANNEL')
  return { refusal: null, deliveries: channels.flatMap((channel) => planChannel(notification, channel, context)) }
}

export const hasOptedOut = ({ notificationType }: NotificationEvent, recipient: Recipient): boolean =>
  notificationType !== 'TRANSACTIONAL' && recipient.optedOut.has(notificationType)

export const wantsChannel = (
  { notificationType }: NotificationEvent,
  channel: Channel,
  recipient: Recipient,
): boolean => notificationType === 'TRANSACTIONAL' || recipient.channels.includes(channel)

export const respectsQuietHours = ({ notificationType }: NotificationEvent, channel: Channel): boolean =>
  notificationType !== 'TRANSACTIONAL' && channel !== 'IN_APP'

const channelsOf = ({ notificationType, channels }: NotificationEvent): Channel[] => [
  ...new Set(notificationType === 'TRANSACTIONAL' ? [...channels, 'IN_APP' as const] : channels),
]

const refuse = (refusal: RefusalCode): Plan => ({ refusal, deliveries: [] })

const planChannel = (notification: NotificationEvent, channel: Channel, context: PlanContext): DeliveryPlan[] => {
  if (!wantsChannel(notification, channel, context.recipient)) return [refuseChannel(channel, 'CHANNEL_OPTED_OUT')]
  const { quietUntil, expiresAt } = context
  const waits = quietUntil !== undefined && respectsQuietHours(notification, channel)
  return targetsOf[channel](context).map(({ targetId, refusal }): DeliveryPlan => {
    if (refusal) return { channel, targetId, kind: 'refuse', code: refusal }
    // What expires meanwhile is looked at when it does.
    if (waits)
      return { channel, targetId, kind: 'defer', notBefore: Math.min(quietUntil, expiresAt), code: 'QUIET_HOURS' }
    return { channel, targetId, kind: kindOf(channel, context) }
  })
}

/** Nobody is asked before a publish to the app, so that its attempt may begin with its claim: one write less for each. */
const kindOf = (channel: Channel, { isFresh }: PlanContext): 'leave' | 'begin' | 'send' => {
  if (isLeft[channel]) return 'leave'
  return channel === 'IN_APP' && isFresh ? 'begin' : 'send'
}

/** As a whole: there is no target to name. */
const refuseChannel = (channel: Channel, code: RefusalCode): DeliveryPlan => ({
  channel,
  targetId: '',
  kind: 'refuse',
  code,
})

const toDevices = ({ devices }: PlanContext): PlannedTarget[] =>
  devices.length === 0
    ? [{ targetId: '', refusal: 'NO_DEVICE' }]
    : devices.map(({ deviceId, pushConsent }) => ({
        targetId: deviceId,
        ...(!pushConsent && { refusal: 'NO_CONSENT' }),
      }))

const targetsOf: Readonly<Record<Channel, (context: PlanContext) => PlannedTarget[]>> = {
  PUSH: toDevices,
  SMS: ({ contacts }) => [contacts?.phone ? { targetId: targetIds.SMS } : { targetId: '', refusal: 'NO_PHONE' }],
  EMAIL: ({ contacts }) => [contacts?.email ? { targetId: targetIds.EMAIL } : { targetId: '', refusal: 'NO_EMAIL' }],
  IN_APP: () => [{ targetId: targetIds.IN_APP }],
}

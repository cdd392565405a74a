import type { DeliveryKey } from '@dropbell/database/ledger/delivery-key'
import type { Recipient } from '@dropbell/database/read-recipients'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { Outgoing, Target, TrafficKind } from './provider.ts'

/** A row of the ledger that is ours, with what is needed to judge and to send it. */
export interface HeldDelivery {
  readonly key: DeliveryKey
  readonly notification: NotificationEvent & { readonly expiresAt: number }
  readonly target: Target
  readonly recipient: Recipient
  /** Where the user was when it was planned, if that is known: by now they may be elsewhere. */
  readonly plannedIn?: string | null
  /** It was deferred, tried before, or in somebody else's hands. */
  readonly waited: boolean
  /** Its attempt began with its claim. */
  readonly begun?: boolean
}

export const trafficKindOf = ({ notification }: Pick<HeldDelivery, 'notification'>): TrafficKind =>
  notification.notificationType === 'TRANSACTIONAL' ? 'transactional' : 'promotional'

/** Under which a delivery is found again while it is under way. */
export const nameOf = ({ notificationId, channel, targetId }: DeliveryKey): string =>
  `${notificationId}/${channel}/${targetId}`

export const toOutgoing = ({ key, notification, target }: HeldDelivery): Outgoing => ({
  deliveryId: nameOf(key),
  notification,
  target,
})

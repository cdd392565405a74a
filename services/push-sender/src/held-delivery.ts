import type { DeliveryKey } from '@dropbell/database/ledger/delivery-key'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { Outgoing, Target, TrafficKind } from './provider.ts'

/** A row of the ledger that is ours, with what is needed to send it. */
export interface HeldDelivery {
  readonly key: DeliveryKey
  readonly notification: NotificationEvent
  readonly target: Target
}

export const trafficKindOf = ({ notification }: HeldDelivery): TrafficKind =>
  notification.notificationType === 'TRANSACTIONAL' ? 'transactional' : 'promotional'

/** Under which a delivery is found again while it is under way. */
export const nameOf = ({ notificationId, channel, targetId }: DeliveryKey): string =>
  `${notificationId}/${channel}/${targetId}`

export const toOutgoing = ({ key, notification, target }: HeldDelivery): Outgoing => ({
  deliveryId: nameOf(key),
  notification,
  target,
})

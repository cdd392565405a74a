import { randomUUID } from 'node:crypto'
import { type Claimed, claimPlans, type PlannedNotification } from '@dropbell/database/ledger/claim-plans'
import { readContacts } from '@dropbell/database/read-contacts'
import { readDevices } from '@dropbell/database/read-devices'
import { defaultRecipient, type Recipient, readRecipients } from '@dropbell/database/read-recipients'
import type { Clock } from '@dropbell/notification-producer/clock'
import { expiryOf, type ValidityConfig } from '@dropbell/notification-producer/notification-validity'
import type { Channel, NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import type { ConsumedRecord, Handle } from '@dropbell/shared/kafka/consumer/consumed-record'
import type { Pool } from 'pg'
import type { SenderConfig } from './config.ts'
import type { Deliver } from './deliver.ts'
import type { Failpoint } from './failpoint.ts'
import type { HeldDelivery } from './held-delivery.ts'
import { isFresh } from './is-fresh.ts'
import { outcomesOf, type PlannedRecord } from './known-outcomes.ts'
import { type Plan, planDeliveries } from './plan-deliveries.ts'
import type { Target } from './provider.ts'
import type { OutcomePublisher } from './publish-outcomes.ts'
import { quietUntil, spreadOf } from './quiet-hours.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import type { SiftDeliveries } from './sift-deliveries.ts'

export interface NotificationBatchDeps {
  pool: Pool
  config: Pick<SenderConfig, 'DELIVERY_LEASE_MS' | 'QUIET_HOURS_SPREAD_MS' | 'OFFER_RECHECK_MS'> & ValidityConfig
  clock: Clock
  sift: SiftDeliveries
  deliver: Deliver
  outcomes: Pick<OutcomePublisher, 'publish'>
  /** Something was left to the poller of a channel. */
  wake(channel: Channel): void
  metrics: Pick<SenderMetrics, 'planned'>
  failpoint: Failpoint
}

/**
 * From a batch of notifications to their outcomes. A notification is planned by whoever first brings it into the
 * ledger; from then on the ledger decides, and a record that comes again finds nothing to do. What this does not get to,
 * because it fails or dies, the pollers do.
 */
export const createNotificationHandler = (deps: NotificationBatchDeps): Handle<NotificationEvent> => {
  const { pool, config, clock, metrics } = deps

  const planRecords = async (records: readonly ConsumedRecord<NotificationEvent>[]): Promise<PlannedRecord[]> => {
    const userIds = [...new Set(records.map(({ value }) => value.userId))]
    const [recipients, devices, contacts] = await Promise.all([
      readRecipients(pool, userIds),
      readDevices(pool, userIds),
      readContacts(pool, [...new Set(records.filter(needsContacts).map(({ value }) => value.userId))]),
    ])
    const now = clock.now()
    return records.map(({ value, traceparent }) => {
      const { userId } = value
      const recipient: Recipient = recipients.get(userId) ?? defaultRecipient
      const ofUser = devices.get(userId) ?? []
      const expiresAt = value.expiresAt ?? expiryOf(config, value.notificationType, value.timestamp)
      const until = quietUntil(recipient, now)
      const plan = planDeliveries(value, {
        recipient,
        devices: ofUser,
        contacts: contacts.get(userId),
        quietUntil: until === undefined ? undefined : until + spreadOf(userId, config.QUIET_HOURS_SPREAD_MS),
        isFresh: isFresh(value, now, config),
        expiresAt,
        now,
      })
      const notification = value.expiresAt === null ? { ...value, expiresAt } : value
      return {
        notification: notification as PlannedRecord['notification'],
        plan,
        recipient,
        devices: ofUser,
        traceparent,
      }
    })
  }

  return async (records, { signal, progress }) => {
    const planned = await planRecords(firstOfEach(records))
    const leaseToken = randomUUID()
    const claimedAt = performance.now()
    const claimed = await claimPlans(pool, planned.map(toPlannedNotification), {
      leaseToken,
      leaseMs: config.DELIVERY_LEASE_MS,
      now: clock.now(),
    })
    const planNews = planned.filter(({ notification }) => claimed.notificationIds.has(notification.notificationId))
    for (const channel of leftChannels(planNews)) deps.wake(channel)
    await progress()
    const held = heldDeliveries(planned, claimed.deliveries)
    await deps.failpoint('after-claim', 'record', held)
    const sifted = await deps.sift(held, leaseToken)
    const sent = await deps.deliver(sifted.toSend, { origin: 'record', leaseToken, claimedAt, signal, progress })
    const { known, toRead } = outcomesOf(planNews, sent.settled, clock.now())
    await deps.outcomes.publish({
      toRead: new Set([...toRead, ...sifted.news]),
      known,
      notes: [
        ...(claimed.note === undefined ? [] : [claimed.note]),
        ...sifted.notes,
        ...sent.settled.map(({ note }) => note),
      ],
    })
    await deps.failpoint('before-offset', 'record', held)
    for (const { plan } of planNews) countPlan(metrics, plan)
  }
}

const needsContacts = ({ value }: ConsumedRecord<NotificationEvent>): boolean =>
  value.channels.includes('SMS') || value.channels.includes('EMAIL')

const leftChannels = (planned: readonly PlannedRecord[]): Set<Channel> =>
  new Set(
    planned.flatMap(({ plan }) => plan.deliveries.flatMap(({ kind, channel }) => (kind === 'leave' ? [channel] : []))),
  )

/** A producer that tried again may have written a notification twice. */
const firstOfEach = (records: readonly ConsumedRecord<NotificationEvent>[]): ConsumedRecord<NotificationEvent>[] => {
  const byId = new Map<string, ConsumedRecord<NotificationEvent>>()
  for (const record of records) {
    if (!byId.has(record.value.notificationId)) byId.set(record.value.notificationId, record)
  }
  return [...byId.values()]
}

const toPlannedNotification = ({ notification, plan, recipient, traceparent }: PlannedRecord): PlannedNotification => ({
  notificationId: notification.notificationId,
  userId: notification.userId,
  type: notification.notificationType,
  productId: notification.productId,
  eventId: notification.eventId,
  title: notification.title,
  body: notification.body,
  data: notification.data,
  channels: notification.channels,
  priority: notification.priority,
  composedAt: notification.timestamp,
  eventTimestamp: notification.eventTimestamp,
  expiresAt: notification.expiresAt,
  traceparent,
  timezone: recipient.timezone,
  refusal: plan.refusal,
  deliveries: plan.deliveries,
})

const heldDeliveries = (planned: readonly PlannedRecord[], claimed: Claimed['deliveries']): HeldDelivery[] => {
  const byId = new Map(planned.map((record) => [record.notification.notificationId, record]))
  return claimed.flatMap(({ begun, ...key }) => {
    const record = byId.get(key.notificationId)
    const target = record && targetOf(key, record)
    if (!target) return []
    return [{ key, notification: record.notification, target, recipient: record.recipient, waited: false, begun }]
  })
}

/** Of the channels that a batch sends over itself. */
const targetOf = ({ channel, targetId: id }: HeldDelivery['key'], record: PlannedRecord): Target | undefined => {
  if (channel === 'IN_APP') return { id, address: record.notification.userId }
  const device = record.devices.find(({ deviceId }) => deviceId === id)
  if (!device) return undefined
  const { token, platform, locale } = device
  return { id, address: token, platform, ...(locale !== null && { locale }) }
}

const countPlan = ({ planned }: Pick<SenderMetrics, 'planned'>, { refusal, deliveries }: Plan): void => {
  if (refusal !== null) planned.inc({ result: refusal })
  for (const { kind, code } of deliveries) planned.inc({ result: kind === 'refuse' && code ? code : kind })
}

import { notificationTypeSymbols } from '@dropbell/schemas/generated/notification-event'
import { createCounter, createHistogram, endToEndBuckets, latencyBuckets } from '@dropbell/shared/metrics'
import type { Registry } from 'prom-client'
import { refusalReasons } from './decision.ts'

export type NotificationMetrics = ReturnType<typeof createNotificationMetrics>

export const createNotificationMetrics = (registry: Registry) => ({
  admissions: createCounter(registry, {
    name: 'dropbell_admissions_total',
    help: 'Users who may be told, and users who may not, by reason; each time they are asked for, retries included.',
    labels: { type: notificationTypeSymbols, result: ['admitted', ...refusalReasons] },
  }),
  blocked: createCounter(registry, {
    name: 'dropbell_fail_close_blocks_total',
    help: 'Users not told for now because whoever has to admit them could not answer.',
    labels: { dependency: ['redis', 'postgres'] },
  }),
  gateSeconds: createHistogram(registry, {
    name: 'dropbell_gate_seconds',
    help: 'How long the gate took to decide about a page of users.',
    labels: { outcome: ['ok', 'failed'] },
    buckets: latencyBuckets,
  }),
  publishSeconds: createHistogram(registry, {
    name: 'dropbell_notification_publish_seconds',
    help: 'How long a batch of notifications took to be acknowledged.',
    labels: { outcome: ['ok', 'failed'] },
    buckets: latencyBuckets,
  }),
  eventToPublishSeconds: createHistogram(registry, {
    name: 'dropbell_event_to_publish_seconds',
    help: 'From an event to the acknowledgement of each batch of its notifications.',
    labels: { type: notificationTypeSymbols },
    buckets: endToEndBuckets,
  }),
  unknownTimezones: createCounter(registry, {
    name: 'dropbell_unknown_timezones_total',
    help: 'Users whose timezone does not exist; the default counts for them.',
    labels: {},
  }),
})

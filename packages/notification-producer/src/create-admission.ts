import { findKnownNotifications } from '@dropbell/database/find-known-notifications'
import { readRecipients } from '@dropbell/database/read-recipients'
import type { Logger } from '@dropbell/shared/log'
import type { Pool } from 'pg'
import { type Admit, createAdmit } from './admit.ts'
import type { Gate } from './gate.ts'
import { createLocalDateAt } from './local-date.ts'
import type { NotificationMetrics } from './notification-metrics.ts'

export interface AdmissionOptions {
  pool: Pool
  gate: Pick<Gate, 'admit'>
  metrics: NotificationMetrics
  log: Logger
}

/** Admission as services use it, with the users in Postgres. */
export const createAdmission = ({ pool, gate, metrics, log }: AdmissionOptions): Admit =>
  createAdmit({
    readRecipients: (userIds) => readRecipients(pool, userIds),
    findKnown: (notificationIds) => findKnownNotifications(pool, notificationIds),
    gate,
    localDateAt: createLocalDateAt({
      onUnknownZone: (zone, firstTime) => {
        metrics.unknownTimezones.inc()
        if (firstTime) log.warn({ detail: zone }, 'timezone of a user does not exist')
      },
    }),
    metrics,
  })

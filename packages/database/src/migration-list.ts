import type { MigrationBuilder } from 'node-pg-migrate'
import * as userInfo from './migrations/0001_user-info.ts'
import * as notificationPreferences from './migrations/0002_notification-preferences.ts'
import * as notifications from './migrations/0003_notifications.ts'
import * as devices from './migrations/0004_devices.ts'
import * as notificationContent from './migrations/0005_notification-content.ts'
import * as deliveries from './migrations/0006_deliveries.ts'
import * as waiting from './migrations/0007_waiting.ts'
import * as recommendationRuns from './migrations/0008_recommendation-runs.ts'
import * as outcomeNotes from './migrations/0009_outcome-notes.ts'
import * as admissionZone from './migrations/0010_admission-zone.ts'

/** Forward only: a mistake is put right by the next migration. */
export interface Migration {
  up(pgm: MigrationBuilder): void
}

/** Every file of `migrations/`, by its name without extension. A published one is never changed. */
export const migrationList: Readonly<Record<string, Migration>> = {
  '0001_user-info': userInfo,
  '0002_notification-preferences': notificationPreferences,
  '0003_notifications': notifications,
  '0004_devices': devices,
  '0005_notification-content': notificationContent,
  '0006_deliveries': deliveries,
  '0007_waiting': waiting,
  '0008_recommendation-runs': recommendationRuns,
  '0009_outcome-notes': outcomeNotes,
  '0010_admission-zone': admissionZone,
}

export const migrationsTable = 'pgmigrations'

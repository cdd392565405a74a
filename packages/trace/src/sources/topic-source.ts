import type { Scan, ScanRequest } from '../scan-topic.ts'
import { createFindEvents, type EventsQuery, type FindEventsDeps, type FoundEvents } from './find-events.ts'
import {
  createFindNotifications,
  type FindNotificationsDeps,
  type FoundNotifications,
  type NotificationsQuery,
} from './find-notifications.ts'
import { createPickRecords } from './pick-records.ts'

/** What Kafka still has. */
export interface TopicSource {
  findEvents(query: EventsQuery): Promise<FoundEvents>
  findNotifications(query: NotificationsQuery): Promise<FoundNotifications>
}

export interface TopicSourceOptions {
  readonly scan: Scan
  readonly codecs: FindNotificationsDeps['codecs'] & { readonly event: FindEventsDeps['codec'] }
  readonly dlqSuffix: string
  readonly mostRecords: number
  readonly onProgress?: ScanRequest['onProgress']
}

export const createTopicSource = (options: TopicSourceOptions): TopicSource => {
  const { scan, codecs, dlqSuffix, mostRecords, onProgress } = options
  const pick = createPickRecords(scan, { mostRecords, onProgress })
  return {
    findEvents: createFindEvents({ pick, codec: codecs.event, dlqSuffix }),
    findNotifications: createFindNotifications({ pick, codecs, dlqSuffix }),
  }
}

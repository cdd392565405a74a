// Generated from packages/schemas/avro/notification-event: `npx pnpm generate`.

import type { Contract } from '../contract.ts'

/** One notification for one user. Version 2 adds where it comes from and how long it is good for, and the types REMINDER and TRANSACTIONAL. */
export interface NotificationEvent {
  /** UUIDv5 of (eventId, userId, notificationType): the same event always makes the same notification. */
  readonly notificationId: string
  readonly userId: string
  /** Of a REMINDER its page, of a TRANSACTIONAL its aggregate, of a RECOMMENDATION the first product. */
  readonly productId: string
  readonly notificationType: NotificationType
  readonly title: string
  readonly body: string
  /** What the app needs beside the text, such as the offered price. */
  readonly data: Readonly<Record<string, string>>
  /** Where it may go; the user's own choice narrows it. */
  readonly channels: readonly Channel[]
  readonly priority: Priority
  /** When the notification was made, in milliseconds since the epoch. */
  readonly timestamp: number
  /** The event behind it. Null from a writer of version 1. */
  readonly eventId: string | null
  /** When that event happened. Null from a writer of version 1. Milliseconds since the epoch. */
  readonly eventTimestamp: number | null
  /** Not sent after this. Null from a writer of version 1: the validity of the type counts from timestamp. Milliseconds since the epoch. */
  readonly expiresAt: number | null
}

export const notificationTypeSymbols = ['PRICE_DROP', 'BACK_IN_STOCK', 'RECOMMENDATION', 'REMINDER', 'TRANSACTIONAL'] as const

/** No default symbol: limits, opt-outs and validity depend on the type, so a reader that does not know one must refuse the record (it is dead-lettered and can be replayed), not treat it as another type. Readers are upgraded before writers use a new symbol. */
export type NotificationType = (typeof notificationTypeSymbols)[number]

export const channelSymbols = ['PUSH', 'SMS', 'EMAIL', 'IN_APP'] as const

/** No default symbol: a message must not go out by a channel nobody asked for. */
export type Channel = (typeof channelSymbols)[number]

export const prioritySymbols = ['LOW', 'NORMAL', 'HIGH'] as const

export type Priority = (typeof prioritySymbols)[number]

export const notificationEvent: Contract<NotificationEvent> = {
  name: 'NotificationEvent',
  versions: [
    {
      version: 1,
      schema: {
        "type": "record",
        "name": "NotificationEvent",
        "namespace": "com.rep.event.notification",
        "fields": [
          {
            "name": "notificationId",
            "type": "string"
          },
          {
            "name": "userId",
            "type": "string"
          },
          {
            "name": "productId",
            "type": "string"
          },
          {
            "name": "notificationType",
            "type": {
              "type": "enum",
              "name": "NotificationType",
              "symbols": [
                "PRICE_DROP",
                "BACK_IN_STOCK",
                "RECOMMENDATION"
              ]
            }
          },
          {
            "name": "title",
            "type": "string"
          },
          {
            "name": "body",
            "type": "string"
          },
          {
            "name": "data",
            "type": {
              "type": "map",
              "values": "string"
            }
          },
          {
            "name": "channels",
            "type": {
              "type": "array",
              "items": {
                "type": "enum",
                "name": "Channel",
                "symbols": [
                  "PUSH",
                  "SMS",
                  "EMAIL",
                  "IN_APP"
                ]
              }
            }
          },
          {
            "name": "priority",
            "type": {
              "type": "enum",
              "name": "Priority",
              "symbols": [
                "LOW",
                "NORMAL",
                "HIGH"
              ]
            }
          },
          {
            "name": "timestamp",
            "type": "long"
          }
        ]
      },
    },
    {
      version: 2,
      schema: {
        "type": "record",
        "name": "NotificationEvent",
        "namespace": "com.rep.event.notification",
        "doc": "One notification for one user. Version 2 adds where it comes from and how long it is good for, and the types REMINDER and TRANSACTIONAL.",
        "fields": [
          {
            "name": "notificationId",
            "type": "string",
            "doc": "UUIDv5 of (eventId, userId, notificationType): the same event always makes the same notification."
          },
          {
            "name": "userId",
            "type": "string"
          },
          {
            "name": "productId",
            "type": "string",
            "doc": "Of a REMINDER its page, of a TRANSACTIONAL its aggregate, of a RECOMMENDATION the first product."
          },
          {
            "name": "notificationType",
            "type": {
              "type": "enum",
              "name": "NotificationType",
              "doc": "No default symbol: limits, opt-outs and validity depend on the type, so a reader that does not know one must refuse the record (it is dead-lettered and can be replayed), not treat it as another type. Readers are upgraded before writers use a new symbol.",
              "symbols": [
                "PRICE_DROP",
                "BACK_IN_STOCK",
                "RECOMMENDATION",
                "REMINDER",
                "TRANSACTIONAL"
              ]
            }
          },
          {
            "name": "title",
            "type": "string"
          },
          {
            "name": "body",
            "type": "string"
          },
          {
            "name": "data",
            "type": {
              "type": "map",
              "values": "string"
            },
            "doc": "What the app needs beside the text, such as the offered price."
          },
          {
            "name": "channels",
            "type": {
              "type": "array",
              "items": {
                "type": "enum",
                "name": "Channel",
                "doc": "No default symbol: a message must not go out by a channel nobody asked for.",
                "symbols": [
                  "PUSH",
                  "SMS",
                  "EMAIL",
                  "IN_APP"
                ]
              }
            },
            "doc": "Where it may go; the user's own choice narrows it."
          },
          {
            "name": "priority",
            "type": {
              "type": "enum",
              "name": "Priority",
              "symbols": [
                "LOW",
                "NORMAL",
                "HIGH"
              ]
            }
          },
          {
            "name": "timestamp",
            "type": "long",
            "doc": "When the notification was made, in milliseconds since the epoch."
          },
          {
            "name": "eventId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "The event behind it. Null from a writer of version 1."
          },
          {
            "name": "eventTimestamp",
            "type": [
              "null",
              {
                "type": "long",
                "logicalType": "timestamp-millis"
              }
            ],
            "default": null,
            "doc": "When that event happened. Null from a writer of version 1."
          },
          {
            "name": "expiresAt",
            "type": [
              "null",
              {
                "type": "long",
                "logicalType": "timestamp-millis"
              }
            ],
            "default": null,
            "doc": "Not sent after this. Null from a writer of version 1: the validity of the type counts from timestamp."
          }
        ]
      },
    },
  ],
}

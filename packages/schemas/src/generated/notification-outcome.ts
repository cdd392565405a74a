// Generated from packages/schemas/avro/notification-outcome: `npx pnpm generate`.

import type { Contract } from '../contract.ts'
import type { Channel, NotificationType } from './notification-event.ts'

/** How a notification ended, or why it was refused: one per notification and revision. Version 2 adds the one time that all outcomes of a notification share. */
export interface NotificationOutcome {
  /** Null where the notification came from a writer of version 1. */
  readonly eventId: string | null
  readonly notificationId: string
  /** Null in the one summary of a fan-out that was stopped: it stands for everybody not yet told. */
  readonly userId: string | null
  readonly productId: string
  readonly type: NotificationType
  /** Null where it was refused before it had one. */
  readonly title: string | null
  readonly channels: readonly Channel[]
  readonly status: OutcomeStatus
  /** A stable code that says more than the status, such as DAILY_LIMIT or DEAD_LETTERED. A string, so that a new reason needs no new schema. */
  readonly reason: string | null
  /** The event that holds the slot, where this one was refused as its duplicate. */
  readonly blockingEventId: string | null
  /** How many the user had that day, where the daily limit refused this one. */
  readonly dayCount: number | null
  /** 0 for a producer's refusal; a sender's outcomes count from 1, and the highest is the newest. */
  readonly revision: number
  /** Milliseconds since the epoch. */
  readonly occurredAt: number
  /** What became of each target that was tried. */
  readonly results: readonly TargetResult[]
  /** W3C trace context of the notification. */
  readonly traceparent: string | null
  /** When the event behind it happened; where nobody said, when the notification was made. The same in every outcome of one notification: the history is filed by it. Null from a writer of version 1. Milliseconds since the epoch. */
  readonly eventTimestamp: number | null
}

export const outcomeStatusSymbols = ['SENT', 'FAILED', 'RATE_LIMITED', 'USER_OPTED_OUT', 'DEFERRED', 'STALE', 'SUPERSEDED', 'EXPIRED'] as const

/** No default symbol: a history must not record one ending as another. A status the reader does not know is dead-lettered and can be replayed after the upgrade. */
export type OutcomeStatus = (typeof outcomeStatusSymbols)[number]

export interface TargetResult {
  readonly channel: Channel
  /** The id of a device or address, never a token, a phone number or an address itself. */
  readonly target: string
  /** Which attempt this was, from 1. */
  readonly attempt: number
  /** The provider's error code. Null where the provider took it. */
  readonly code: string | null
  /** Null where no answer was seen. */
  readonly latencyMs: number | null
  /** Milliseconds since the epoch. */
  readonly at: number
}

export const notificationOutcome: Contract<NotificationOutcome> = {
  name: 'NotificationOutcome',
  versions: [
    {
      version: 1,
      schema: {
        "type": "record",
        "name": "NotificationOutcome",
        "namespace": "dropbell.notification",
        "doc": "How a notification ended, or why it was refused: one per notification and revision.",
        "fields": [
          {
            "name": "eventId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "Null where the notification came from a writer of version 1."
          },
          {
            "name": "notificationId",
            "type": "string"
          },
          {
            "name": "userId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "Null in the one summary of a fan-out that was stopped: it stands for everybody not yet told."
          },
          {
            "name": "productId",
            "type": "string"
          },
          {
            "name": "type",
            "type": {
              "type": "enum",
              "name": "NotificationType",
              "namespace": "com.rep.event.notification",
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
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "Null where it was refused before it had one."
          },
          {
            "name": "channels",
            "default": [],
            "type": {
              "type": "array",
              "items": {
                "type": "enum",
                "name": "Channel",
                "namespace": "com.rep.event.notification",
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
            "name": "status",
            "type": {
              "type": "enum",
              "name": "OutcomeStatus",
              "doc": "No default symbol: a history must not record one ending as another. A status the reader does not know is dead-lettered and can be replayed after the upgrade.",
              "symbols": [
                "SENT",
                "FAILED",
                "RATE_LIMITED",
                "USER_OPTED_OUT",
                "DEFERRED",
                "STALE",
                "SUPERSEDED",
                "EXPIRED"
              ]
            }
          },
          {
            "name": "reason",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "A stable code that says more than the status, such as DAILY_LIMIT or DEAD_LETTERED. A string, so that a new reason needs no new schema."
          },
          {
            "name": "blockingEventId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "The event that holds the slot, where this one was refused as its duplicate."
          },
          {
            "name": "dayCount",
            "type": [
              "null",
              "int"
            ],
            "default": null,
            "doc": "How many the user had that day, where the daily limit refused this one."
          },
          {
            "name": "revision",
            "type": "int",
            "default": 0,
            "doc": "0 for a producer's refusal; a sender's outcomes count from 1, and the highest is the newest."
          },
          {
            "name": "occurredAt",
            "type": {
              "type": "long",
              "logicalType": "timestamp-millis"
            }
          },
          {
            "name": "results",
            "default": [],
            "doc": "What became of each target that was tried.",
            "type": {
              "type": "array",
              "items": {
                "type": "record",
                "name": "TargetResult",
                "fields": [
                  {
                    "name": "channel",
                    "type": "com.rep.event.notification.Channel"
                  },
                  {
                    "name": "target",
                    "type": "string",
                    "doc": "The id of a device or address, never a token, a phone number or an address itself."
                  },
                  {
                    "name": "attempt",
                    "type": "int",
                    "doc": "Which attempt this was, from 1."
                  },
                  {
                    "name": "code",
                    "type": [
                      "null",
                      "string"
                    ],
                    "default": null,
                    "doc": "The provider's error code. Null where the provider took it."
                  },
                  {
                    "name": "latencyMs",
                    "type": [
                      "null",
                      "int"
                    ],
                    "default": null,
                    "doc": "Null where no answer was seen."
                  },
                  {
                    "name": "at",
                    "type": {
                      "type": "long",
                      "logicalType": "timestamp-millis"
                    }
                  }
                ]
              }
            }
          },
          {
            "name": "traceparent",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "W3C trace context of the notification."
          }
        ]
      },
    },
    {
      version: 2,
      schema: {
        "type": "record",
        "name": "NotificationOutcome",
        "namespace": "dropbell.notification",
        "doc": "How a notification ended, or why it was refused: one per notification and revision. Version 2 adds the one time that all outcomes of a notification share.",
        "fields": [
          {
            "name": "eventId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "Null where the notification came from a writer of version 1."
          },
          {
            "name": "notificationId",
            "type": "string"
          },
          {
            "name": "userId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "Null in the one summary of a fan-out that was stopped: it stands for everybody not yet told."
          },
          {
            "name": "productId",
            "type": "string"
          },
          {
            "name": "type",
            "type": {
              "type": "enum",
              "name": "NotificationType",
              "namespace": "com.rep.event.notification",
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
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "Null where it was refused before it had one."
          },
          {
            "name": "channels",
            "default": [],
            "type": {
              "type": "array",
              "items": {
                "type": "enum",
                "name": "Channel",
                "namespace": "com.rep.event.notification",
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
            "name": "status",
            "type": {
              "type": "enum",
              "name": "OutcomeStatus",
              "doc": "No default symbol: a history must not record one ending as another. A status the reader does not know is dead-lettered and can be replayed after the upgrade.",
              "symbols": [
                "SENT",
                "FAILED",
                "RATE_LIMITED",
                "USER_OPTED_OUT",
                "DEFERRED",
                "STALE",
                "SUPERSEDED",
                "EXPIRED"
              ]
            }
          },
          {
            "name": "reason",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "A stable code that says more than the status, such as DAILY_LIMIT or DEAD_LETTERED. A string, so that a new reason needs no new schema."
          },
          {
            "name": "blockingEventId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "The event that holds the slot, where this one was refused as its duplicate."
          },
          {
            "name": "dayCount",
            "type": [
              "null",
              "int"
            ],
            "default": null,
            "doc": "How many the user had that day, where the daily limit refused this one."
          },
          {
            "name": "revision",
            "type": "int",
            "default": 0,
            "doc": "0 for a producer's refusal; a sender's outcomes count from 1, and the highest is the newest."
          },
          {
            "name": "occurredAt",
            "type": {
              "type": "long",
              "logicalType": "timestamp-millis"
            }
          },
          {
            "name": "results",
            "default": [],
            "doc": "What became of each target that was tried.",
            "type": {
              "type": "array",
              "items": {
                "type": "record",
                "name": "TargetResult",
                "fields": [
                  {
                    "name": "channel",
                    "type": "com.rep.event.notification.Channel"
                  },
                  {
                    "name": "target",
                    "type": "string",
                    "doc": "The id of a device or address, never a token, a phone number or an address itself."
                  },
                  {
                    "name": "attempt",
                    "type": "int",
                    "doc": "Which attempt this was, from 1."
                  },
                  {
                    "name": "code",
                    "type": [
                      "null",
                      "string"
                    ],
                    "default": null,
                    "doc": "The provider's error code. Null where the provider took it."
                  },
                  {
                    "name": "latencyMs",
                    "type": [
                      "null",
                      "int"
                    ],
                    "default": null,
                    "doc": "Null where no answer was seen."
                  },
                  {
                    "name": "at",
                    "type": {
                      "type": "long",
                      "logicalType": "timestamp-millis"
                    }
                  }
                ]
              }
            }
          },
          {
            "name": "traceparent",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "W3C trace context of the notification."
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
            "doc": "When the event behind it happened; where nobody said, when the notification was made. The same in every outcome of one notification: the history is filed by it. Null from a writer of version 1."
          }
        ]
      },
    },
  ],
}

// Generated from packages/schemas/avro/fanout-request: `npx pnpm generate`.

import type { Contract } from '../contract.ts'
import type { NotificationType } from './notification-event.ts'
import type { ProductInventoryEvent } from './product-inventory-event.ts'

/** Tell the rest of an audience that is too large for one page. */
export interface FanoutRequest {
  /** The event as it was read: what to say, and the price or stock that must still hold between the pages. */
  readonly event: ProductInventoryEvent
  /** What was detected. Carried, so that a threshold changed meanwhile does not split one audience. */
  readonly notificationType: NotificationType
  /** The moment the audience is reckoned from, so that every page and every replay sees the same one. Milliseconds since the epoch. */
  readonly asOf: number
  /** The audience cursor: the last user already served, in the order of user ids. Null begins at the first. */
  readonly afterUserId: string | null
  /** How many users come before the cursor: the cap on an audience holds over all its pages. */
  readonly servedUsers: number
}

export const fanoutRequest: Contract<FanoutRequest> = {
  name: 'FanoutRequest',
  versions: [
    {
      version: 1,
      schema: {
        "type": "record",
        "name": "FanoutRequest",
        "namespace": "dropbell.notification",
        "doc": "Tell the rest of an audience that is too large for one page.",
        "fields": [
          {
            "name": "event",
            "doc": "The event as it was read: what to say, and the price or stock that must still hold between the pages.",
            "type": {
              "type": "record",
              "name": "ProductInventoryEvent",
              "namespace": "com.rep.event.product",
              "fields": [
                {
                  "name": "eventId",
                  "type": "string"
                },
                {
                  "name": "productId",
                  "type": "string"
                },
                {
                  "name": "eventType",
                  "type": {
                    "type": "enum",
                    "name": "InventoryEventType",
                    "symbols": [
                      "PRICE_CHANGE",
                      "STOCK_CHANGE",
                      "PRODUCT_UPDATE"
                    ]
                  }
                },
                {
                  "name": "previousPrice",
                  "type": [
                    "null",
                    "float"
                  ],
                  "default": null
                },
                {
                  "name": "currentPrice",
                  "type": [
                    "null",
                    "float"
                  ],
                  "default": null
                },
                {
                  "name": "previousStock",
                  "type": [
                    "null",
                    "int"
                  ],
                  "default": null
                },
                {
                  "name": "currentStock",
                  "type": [
                    "null",
                    "int"
                  ],
                  "default": null
                },
                {
                  "name": "timestamp",
                  "type": {
                    "type": "long",
                    "logicalType": "timestamp-millis"
                  }
                }
              ]
            }
          },
          {
            "name": "notificationType",
            "doc": "What was detected. Carried, so that a threshold changed meanwhile does not split one audience.",
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
            "name": "asOf",
            "type": {
              "type": "long",
              "logicalType": "timestamp-millis"
            },
            "doc": "The moment the audience is reckoned from, so that every page and every replay sees the same one."
          },
          {
            "name": "afterUserId",
            "type": [
              "null",
              "string"
            ],
            "default": null,
            "doc": "The audience cursor: the last user already served, in the order of user ids. Null begins at the first."
          },
          {
            "name": "servedUsers",
            "type": "int",
            "default": 0,
            "doc": "How many users come before the cursor: the cap on an audience holds over all its pages."
          }
        ]
      },
    },
  ],
}

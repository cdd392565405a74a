// Generated from packages/schemas/avro/product-inventory-event: `npx pnpm generate`.

import type { Contract } from '../contract.ts'

/** A product's price or stock changed. Differs from version 1 only in where the timestamp's logicalType stands: inside the type, where Avro reads it. The bytes are the same. */
export interface ProductInventoryEvent {
  /** Names this change. The same event published twice makes the same notifications. */
  readonly eventId: string
  readonly productId: string
  readonly eventType: InventoryEventType
  /** Null where the price is not what changed. */
  readonly previousPrice: number | null
  readonly currentPrice: number | null
  /** Null where the stock is not what changed. */
  readonly previousStock: number | null
  readonly currentStock: number | null
  /** When it happened. The audience, the validity and a replay are reckoned from here. Milliseconds since the epoch. */
  readonly timestamp: number
}

export const inventoryEventTypeSymbols = ['PRICE_CHANGE', 'STOCK_CHANGE', 'PRODUCT_UPDATE'] as const

/** No default symbol: a reader that does not know what happened must not act as if it did. */
export type InventoryEventType = (typeof inventoryEventTypeSymbols)[number]

export const productInventoryEvent: Contract<ProductInventoryEvent> = {
  name: 'ProductInventoryEvent',
  versions: [
    {
      version: 1,
      schema: {
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
            "type": "long",
            "logicalType": "timestamp-millis"
          }
        ]
      },
    },
    {
      version: 2,
      schema: {
        "type": "record",
        "name": "ProductInventoryEvent",
        "namespace": "com.rep.event.product",
        "doc": "A product's price or stock changed. Differs from version 1 only in where the timestamp's logicalType stands: inside the type, where Avro reads it. The bytes are the same.",
        "fields": [
          {
            "name": "eventId",
            "type": "string",
            "doc": "Names this change. The same event published twice makes the same notifications."
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
              "doc": "No default symbol: a reader that does not know what happened must not act as if it did.",
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
            "default": null,
            "doc": "Null where the price is not what changed."
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
            "default": null,
            "doc": "Null where the stock is not what changed."
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
            },
            "doc": "When it happened. The audience, the validity and a replay are reckoned from here."
          }
        ]
      },
    },
  ],
}

import { createCodec } from '@dropbell/schemas/codec'
import { productInventoryTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { type Consumer, createConsumer } from '@dropbell/shared/kafka/consumer'
import { createInventoryDecoder } from './decode-inventory-events.ts'
import { createInventoryHandler } from './handle-inventory-batch.ts'
import type { ServiceParts } from './service-parts.ts'

/** From inventory events to notifications, and to requests for the rest of large audiences. */
export const createDetectConsumer = (parts: ServiceParts): Consumer => {
  const output = parts.createOutput('detect')
  const codec = createCodec({ topic: productInventoryTopic, registry: parts.engines.schemaRegistry })
  const handle = createInventoryHandler({ ...parts, ...output })
  return createConsumer({
    ...parts.consumerOptions,
    topic: productInventoryTopic.name,
    groupId: sharedGroupOf(productInventoryTopic),
    publisher: output.publisher,
    decode: createInventoryDecoder(codec),
    handle: (records, context) => parts.rightOfWay.first(() => handle(records, context)),
    lookAhead: parts.productStates.recordProductStates,
    maxBatchRecords: parts.config.CONSUMER_MAX_BATCH_RECORDS,
  })
}

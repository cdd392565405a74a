import { systemClock as clock } from '@dropbell/notification-producer/clock'
import { notificationFanoutTopic, notificationPushTopic, sharedGroupOf } from '@dropbell/schemas/topics'
import { type Consumer, createConsumer } from '@dropbell/shared/kafka/consumer'
import type { Pacer } from '@dropbell/shared/kafka/pacing'
import { createFanoutProgress } from './fanout-progress.ts'
import { createFanoutDecoder } from './fanout-request.ts'
import { createFanoutTurn } from './fanout-turn.ts'
import { createFanoutHandler } from './handle-fanout.ts'
import type { ServiceParts } from './service-parts.ts'

/** From requests to tell large audiences to notifications. */
export const createFanoutConsumer = (parts: ServiceParts, pacer: Pacer): Consumer => {
  const { config, fanoutCodec, engines, productStates } = parts
  const output = parts.createOutput('fanout')
  const serveTurn = createFanoutTurn({
    ...parts,
    ...output,
    readProductState: productStates.readProductState,
    giveWay: parts.rightOfWay.giveWay,
    pacer,
    clock,
  })
  return createConsumer({
    ...parts.consumerOptions,
    topic: notificationFanoutTopic.name,
    groupId: sharedGroupOf(notificationFanoutTopic),
    publisher: output.publisher,
    decode: createFanoutDecoder(fanoutCodec),
    handle: createFanoutHandler({
      ...parts,
      ...output,
      progress: createFanoutProgress({ client: engines.redis }),
      serveTurn,
      clock,
    }),
    // A request is a turn: its offset is committed before the next one begins.
    maxBatchRecords: 1,
    partitionsConsumedConcurrently: config.FANOUT_CONCURRENCY,
  })
}

/** The group whose lag paces everybody who publishes notifications in large numbers. */
export const pacedBy = { groupId: sharedGroupOf(notificationPushTopic), topic: notificationPushTopic.name } as const

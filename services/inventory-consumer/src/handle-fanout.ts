import type { Clock } from '@dropbell/notification-producer/clock'
import type { RecordStop } from '@dropbell/notification-producer/record-stop'
import { type AudienceCursor, type FanoutState, fanoutIdOf } from '@dropbell/offers/fanout-state'
import { TransientError } from '@dropbell/shared/errors'
import type { ConsumedRecord, Handle, HandlerContext } from '@dropbell/shared/kafka/consumer/consumed-record'
import type { Logger } from '@dropbell/shared/log'
import { describeTrigger } from './describe-trigger.ts'
import type { FanoutProgress } from './fanout-progress.ts'
import type { Fanout, PublishFanouts } from './fanout-request.ts'
import type { ServeTurn } from './fanout-turn.ts'
import type { InventoryMetrics } from './inventory-metrics.ts'
import type { ReadProductNames } from './product-names.ts'

export interface FanoutDeps {
  progress: FanoutProgress
  readProductNames: ReadProductNames
  serveTurn: ServeTurn
  publishFanouts: PublishFanouts
  recordStop: RecordStop
  clock: Clock
  metrics: Pick<InventoryMetrics, 'audienceResolved' | 'fanoutEnded'>
  log: Logger
}

/**
 * Tells the rest of an audience, a turn at a time. A request is a turn: it goes on from the checkpoint, and if there is more
 * to do when its time is up it puts the next request behind whatever else waits in the topic. So a hundred fan-outs
 * share a partition, and none waits for another to end.
 *
 * Published and not committed: the request comes again, older than the one that was handed over, and is dropped. Handed
 * over without leaving a trace in Redis: two requests take turns from one checkpoint, and still nobody is served twice.
 */
export const createFanoutHandler = (deps: FanoutDeps): Handle<Fanout> => {
  const { progress, metrics, clock, log } = deps

  const serve = async ({ value: fanout, ...record }: ConsumedRecord<Fanout>, context: HandlerContext) => {
    const { event, detection, asOf } = fanout
    const { eventId, productId } = event
    const { traceparent, replayCount } = record
    const fanoutId = fanoutIdOf(detection.kind, eventId)
    const state = await progress.read(fanoutId)
    if (state.ended || state.handedOverAt > servedBefore(fanout.after)) return

    let reached = furthest(fanout, state)
    const names = await deps.readProductNames([productId])
    const trigger = describeTrigger(event, detection, names.get(productId))
    const after = reached && { after: reached }
    const end = await deps.serveTurn(
      {
        trigger,
        target: { kind: detection.kind, eventId, productId, timestamp: asOf, ...after },
        origin: { traceparent, replayCount },
        onReached: async (cursor) => {
          reached = cursor
          await progress.advance(fanoutId, cursor)
        },
      },
      context,
    )

    switch (end) {
      case 'interrupted':
        throw new TransientError('FANOUT_INTERRUPTED', 'somebody else goes on with the fan-out')
      case 'turn-over':
        await deps.publishFanouts([
          [
            { ...fanout, after: reached },
            { traceparent, replayCount },
          ],
        ])
        await progress.handOver(fanoutId, servedBefore(reached))
        return
      case 'told':
      case 'cut':
        break
      default:
        // Before the end, which is final: better a stop on record that was taken back than one that nobody hears of.
        await deps.recordStop(end, { trigger, traceparent, now: clock.now() })
    }
    await progress.end(fanoutId)
    if (end === 'told' || end === 'cut') metrics.audienceResolved(detection.kind, servedBefore(reached), end === 'cut')
    metrics.fanoutEnded(detection.kind, end)
    log[end === 'cut' ? 'warn' : 'info'](
      { eventId, productId, users: servedBefore(reached), outcome: end },
      'fan-out ended',
    )
  }

  return async (records, context) => {
    for (const record of records) await serve(record, context)
  }
}

const servedBefore = (cursor: AudienceCursor | undefined): number => cursor?.servedUsers ?? 0

const furthest = ({ after }: Fanout, { reached }: FanoutState): AudienceCursor | undefined =>
  servedBefore(reached) > servedBefore(after) ? reached : after

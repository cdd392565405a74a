import type { Clock } from '@dropbell/notification-producer/clock'
import type { NotificationConfig } from '@dropbell/notification-producer/config'
import { expiryOf } from '@dropbell/notification-producer/notification-validity'
import type { NotificationPart, ProduceNotifications } from '@dropbell/notification-producer/produce-notifications'
import type { StopReason } from '@dropbell/notification-producer/refusal-outcome'
import type { Trigger } from '@dropbell/notification-producer/trigger'
import type { AudienceCursor } from '@dropbell/offers/fanout-state'
import { judgeOffer } from '@dropbell/offers/judge-offer'
import type { ProductStates } from '@dropbell/offers/product-state'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { HandlerContext } from '@dropbell/shared/kafka/consumer/consumed-record'
import type { Pacer } from '@dropbell/shared/kafka/pacing'
import { mapAhead } from '@dropbell/shared/map-ahead'
import type { RightOfWay } from '@dropbell/shared/right-of-way'
import type { InventoryConfig } from './config.ts'
import type { FanoutOrigin } from './fanout-request.ts'
import { offerOf } from './offer-of.ts'
import type { ResolveTargets } from './resolve-targets.ts'
import type { TargetTrigger } from './target-query.ts'

/**
 * How a turn ended: everybody is told, or as many as may be; others want their turn; the consumer stops; or nobody else
 * is to be told.
 */
export type TurnEnd = 'told' | 'cut' | 'turn-over' | 'interrupted' | StopReason

export interface FanoutWork {
  readonly trigger: Trigger
  /** The audience, from where it is to go on. */
  readonly target: TargetTrigger
  readonly origin: FanoutOrigin
  /** Told of each part that got through. */
  onReached(reached: AudienceCursor): Promise<void>
}

export type ServeTurn = (work: FanoutWork, context: HandlerContext) => Promise<TurnEnd>

export interface FanoutTurnDeps {
  resolveTargets: ResolveTargets
  produceNotifications: ProduceNotifications
  readProductState: ProductStates['readProductState']
  pacer: Pacer
  giveWay: RightOfWay['giveWay']
  config: NotificationConfig & Pick<InventoryConfig, 'FANOUT_TURN_MS'>
  clock: Clock
}

// Per part: with events coming in all the time a fan-out still tells 5,000 users a second.
const longestWayMs = 100

/**
 * Tells an audience, page by page, for as long as a turn lasts. Before each part: is there room for it, is the offer still
 * good? What was admitted is published, whatever the answer is for the next part; only after a failure can it happen that
 * the offer is no longer good when it is tried again, and a few thousand users keep a slot for nothing.
 */
export const createFanoutTurn =
  (deps: FanoutTurnDeps): ServeTurn =>
  async ({ trigger, target, origin, onReached }, context) => {
    const { resolveTargets, produceNotifications, readProductState, pacer, giveWay, config, clock } = deps
    const startedAt = performance.now()
    const pacing = pacer.begin()
    const expiresAt = expiryOf(config, trigger.type, trigger.eventTimestamp)
    let end: TurnEnd = 'told'
    let begunParts = 0
    let isOver = false

    const reasonToStop = async (): Promise<TurnEnd | undefined> => {
      if (isOver || context.isInterrupted()) return 'interrupted'
      if (clock.now() > expiresAt) return 'expired'
      const verdict = judgeOffer(offerOf(trigger), await readProductState(trigger.productId))
      // What nobody knows has not changed since the first users were told.
      return verdict === 'good' || verdict === 'unknown' ? undefined : verdict
    }
    const isTurnOver = (): boolean => begunParts > 0 && performance.now() - startedAt > config.FANOUT_TURN_MS
    const keepWaiting = async (): Promise<boolean> => {
      await context.progress()
      return (await reasonToStop()) === undefined
    }

    async function* parts(): AsyncGenerator<NotificationPart, void, undefined> {
      // The next page is asked for while this one is served.
      for await (const { userIds, cut } of mapAhead(resolveTargets([target]), async (page) => page, 1)) {
        for (const users of chunksOf(userIds, config.NOTIFICATION_BATCH_SIZE)) {
          if (isTurnOver()) end = 'turn-over'
          else {
            await giveWay(longestWayMs)
            await pacing.wait(users.length, keepWaiting)
            end = (await reasonToStop()) ?? end
          }
          if (end !== 'told') return
          begunParts++
          yield [{ trigger, users, ...origin }]
        }
        if (cut) end = 'cut'
      }
    }

    let servedUsers = target.after?.servedUsers ?? 0
    try {
      for await (const { pages } of produceNotifications(parts(), context)) {
        const users = pages.flatMap((page) => page.users)
        servedUsers += users.length
        pacing.settled(users.length)
        await onReached({ userId: users.at(-1) as string, servedUsers })
      }
    } finally {
      isOver = true // After a failure somebody may still wait for room.
      pacing.end()
    }
    return end
  }

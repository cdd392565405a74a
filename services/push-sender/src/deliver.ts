import { randomUUID } from 'node:crypto'
import { type GivenBack, giveBackDeliveries } from '@dropbell/database/ledger/give-back-deliveries'
import { type Settlement, settleDeliveries } from '@dropbell/database/ledger/settle-deliveries'
import { startAttempts } from '@dropbell/database/ledger/start-attempts'
import type { Clock } from '@dropbell/notification-producer/clock'
import type { Pool } from 'pg'
import type { SenderConfig } from './config.ts'
import type { Failpoint, WorkOrigin } from './failpoint.ts'
import { type HeldDelivery, nameOf, toOutgoing, trafficKindOf } from './held-delivery.ts'
import type { Provider, SendResult, TrafficKind } from './provider.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import { settlementOf } from './settlement-of.ts'
import { untilAnswered } from './until-answered.ts'

export interface DeliverDeps {
  pool: Pool
  provider: Provider
  config: Pick<
    SenderConfig,
    'DELIVERY_LEASE_MS' | 'DELIVERY_SEND_DEADLINE_MS' | 'DELIVERY_SEND_BATCH' | 'DELIVERY_RETRY_DELAYS_MS'
  >
  clock: Clock
  metrics: Pick<SenderMetrics, 'settled' | 'eventToProviderSeconds'>
  failpoint: Failpoint
}

export interface DeliveryRun {
  readonly origin: WorkOrigin
  /** Of the lease that holds the rows. */
  readonly leaseToken: string
  readonly signal: AbortSignal
  progress(): Promise<unknown>
}

/** What was settled, and which revision of an outcome that made. */
export interface SettledAttempt {
  readonly settlement: Settlement
  readonly revision: number
}

export interface DeliverySummary {
  readonly settled: readonly SettledAttempt[]
  /** The provider wanted no more for now. */
  readonly heldBack: boolean
}

export type Deliver = (held: readonly HeldDelivery[], run: DeliveryRun) => Promise<DeliverySummary>

/** A budget that is back this soon is worth waiting for; anything longer waits in the ledger, not in a partition. */
const patienceMs = 1_000
/** Before the lease is over, for the last answers to be settled. */
const settleMarginMs = 250

/**
 * Asks the provider how much it takes, marks that much attempted, sends it and settles it, until nothing is left or
 * the provider wants no more; the rest is given back. Transactional ones go first.
 */
export const createDeliver = (deps: DeliverDeps): Deliver => {
  const { pool, provider, config, clock, metrics, failpoint } = deps
  const { DELIVERY_LEASE_MS: leaseMs } = config
  const neededMs = Math.min(leaseMs, config.DELIVERY_SEND_DEADLINE_MS + 2 * settleMarginMs)
  const rules = { delaysMs: config.DELIVERY_RETRY_DELAYS_MS.map(Number), random: Math.random }

  const sendGranted = async (held: readonly HeldDelivery[], run: DeliveryRun): Promise<SettledAttempt[]> => {
    const attemptToken = randomUUID()
    const askedAt = performance.now()
    const attempts = await untilAnswered(
      () =>
        startAttempts(
          pool,
          held.map(({ key }) => key),
          { leaseToken: run.leaseToken, attemptToken, leaseMs, neededMs },
        ),
      { wait: clock.wait, deadline: askedAt + leaseMs - settleMarginMs },
    )
    const inTime = {
      wait: clock.wait,
      deadline: askedAt + Math.min(leaseMs, ...attempts.map((started) => started.leaseMs)) - settleMarginMs,
    }
    const attemptOf = new Map(attempts.map((started) => [nameOf(started), started.attempt]))
    const ours = held.filter(({ key }) => attemptOf.has(nameOf(key)))
    await failpoint('after-attempt', run.origin, ours)
    const results = await sendInTime(ours, inTime.deadline)
    await failpoint('after-accept', run.origin, ours)
    const settlements: Settlement[] = []
    const back: GivenBack[] = []
    for (const [index, delivery] of ours.entries()) {
      const { key, target } = delivery
      const attempt = attemptOf.get(nameOf(key)) ?? 1
      const attempted = { key, kind: trafficKindOf(delivery), token: target.token, attempt }
      const ending = settlementOf(attempted, results[index] as SendResult, rules)
      if (ending.kind === 'settled') settlements.push(ending.settlement)
      else back.push(ending.row)
    }
    const settled = await untilAnswered(
      () => settleDeliveries(pool, settlements, { token: attemptToken, now: clock.now() }),
      inTime,
    )
    await untilAnswered(() => giveBackDeliveries(pool, back, attemptToken), inTime)
    await failpoint('after-settle', run.origin, ours)
    observe(ours, results)
    const settlementOfKey = new Map(settlements.map((settlement) => [nameOf(settlement), settlement]))
    return settled.flatMap((row) => {
      const settlement = settlementOfKey.get(nameOf(row))
      return settlement ? [{ settlement, revision: row.revision }] : []
    })
  }

  /** A process that slept until its lease was over sends nothing: somebody else may have settled the rows. */
  const sendInTime = async (held: readonly HeldDelivery[], deadline: number): Promise<SendResult[]> => {
    const deadlineMs = Math.min(config.DELIVERY_SEND_DEADLINE_MS, deadline - performance.now())
    if (deadlineMs > 0) return provider.send(held.map(toOutgoing), { deadlineMs })
    return held.map(() => ({ kind: 'not-taken', code: 'LEASE_OVER', latencyMs: 0 }))
  }

  const observe = (held: readonly HeldDelivery[], results: readonly SendResult[]): void => {
    const counts = new Map<SendResult['kind'], number>()
    for (const [index, { notification }] of held.entries()) {
      const { kind } = results[index] as SendResult
      const type = notification.notificationType
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      if (kind !== 'accepted') continue
      const since = notification.eventTimestamp ?? notification.timestamp
      metrics.eventToProviderSeconds.observe({ type }, Math.max(0, clock.now() - since) / 1_000)
    }
    for (const [result, count] of counts) metrics.settled.inc({ channel: provider.channel, result }, count)
  }

  const deliverKind = async (held: readonly HeldDelivery[], kind: TrafficKind, run: DeliveryRun) => {
    const settled: SettledAttempt[] = []
    let left = held
    let patience = patienceMs
    while (left.length > 0) {
      const wanted = Math.min(left.length, config.DELIVERY_SEND_BATCH)
      const { granted, retryAfterMs } = run.signal.aborted
        ? { granted: 0, retryAfterMs: Number.POSITIVE_INFINITY }
        : await provider.reserve(wanted, kind)
      if (granted > 0) {
        settled.push(...(await sendGranted(left.slice(0, granted), run)))
        left = left.slice(granted)
        await run.progress()
      } else if (retryAfterMs <= patience) {
        patience -= Math.max(1, retryAfterMs)
        await clock.wait(retryAfterMs)
      } else {
        await giveBack(left, run.signal.aborted ? 0 : retryAfterMs, run.leaseToken)
        return { settled, heldBack: true }
      }
    }
    return { settled, heldBack: false }
  }

  const giveBack = (held: readonly HeldDelivery[], retryInMs: number, leaseToken: string) =>
    giveBackDeliveries(
      pool,
      held.map(({ key }) => ({ ...key, code: null, retryInMs })),
      leaseToken,
    )

  return async (held, run) => {
    const settled: SettledAttempt[] = []
    let heldBack = false
    for (const kind of ['transactional', 'promotional'] as const) {
      const ofKind = held.filter((delivery) => trafficKindOf(delivery) === kind)
      const ended = await deliverKind(ofKind, kind, run)
      settled.push(...ended.settled)
      heldBack ||= ended.heldBack
    }
    return { settled, heldBack }
  }
}

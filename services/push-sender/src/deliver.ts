import { randomUUID } from 'node:crypto'
import { type GivenBack, giveBackDeliveries } from '@dropbell/database/ledger/give-back-deliveries'
import type { OutcomeNote } from '@dropbell/database/ledger/outcome-notes'
import { type Settlement, settleDeliveries } from '@dropbell/database/ledger/settle-deliveries'
import { startAttempts } from '@dropbell/database/ledger/start-attempts'
import type { Clock } from '@dropbell/notification-producer/clock'
import type { Channel } from '@dropbell/schemas/generated/notification-event'
import type { Pool } from 'pg'
import type { SenderConfig } from './config.ts'
import { countBy } from './count-by.ts'
import type { Failpoint, WorkOrigin } from './failpoint.ts'
import { type HeldDelivery, nameOf, trafficKindOf } from './held-delivery.ts'
import type { Providers, SendResult, TrafficKind } from './provider.ts'
import { type Sent, sendByChannel } from './send-by-channel.ts'
import type { SenderMetrics } from './sender-metrics.ts'
import { settlementOf } from './settlement-of.ts'
import { untilAnswered } from './until-answered.ts'

export interface DeliverDeps {
  pool: Pool
  providers: Providers
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
  /** From before it was taken, of `performance.now()`. */
  readonly claimedAt: number
  readonly signal: AbortSignal
  progress(): Promise<unknown>
}

/** What one statement settled, so that all of it was so at the same time. */
export interface SettledTogether {
  readonly settlements: readonly Settlement[]
  /** Of their outcomes. */
  readonly note: OutcomeNote
}

export interface DeliverySummary {
  readonly settled: readonly SettledTogether[]
  /** A provider wanted no more for now. */
  readonly heldBack: boolean
}

export type Deliver = (held: readonly HeldDelivery[], run: DeliveryRun) => Promise<DeliverySummary>

/** A budget that is back this soon is worth waiting for; anything longer waits in the ledger, not in a partition. */
const patienceMs = 1_000
/** Before the lease is over, for the last answers to be settled. */
const settleMarginMs = 250

/**
 * Asks the providers how much they take, marks that much attempted, sends it over all channels at once and settles it,
 * until nothing is left or the providers want no more; the rest is given back. Transactional ones go first.
 */
export const createDeliver = (deps: DeliverDeps): Deliver => {
  const { pool, providers, config, clock, metrics, failpoint } = deps
  const { DELIVERY_LEASE_MS: leaseMs } = config
  const neededMs = Math.min(leaseMs, config.DELIVERY_SEND_DEADLINE_MS + 2 * settleMarginMs)
  const rules = { delaysMs: config.DELIVERY_RETRY_DELAYS_MS.map(Number), random: Math.random }

  const sendGranted = async (held: readonly HeldDelivery[], run: DeliveryRun): Promise<SettledTogether[]> => {
    const attemptToken = randomUUID()
    const askedAt = performance.now()
    const claimEndsAt = run.claimedAt + leaseMs
    // What began with its claim has no more time than the claim, and must not leave less to the others.
    const isLate = ({ begun }: HeldDelivery): boolean => begun === true && claimEndsAt - askedAt < neededMs
    await giveBack(held.filter(isLate), 0, run.leaseToken)
    const timely = held.filter((delivery) => !isLate(delivery))
    const toBegin = timely.flatMap(({ begun, key }) => (begun ? [] : [key]))
    const attempts = await untilAnswered(
      () => startAttempts(pool, toBegin, { leaseToken: run.leaseToken, attemptToken, leaseMs, neededMs }),
      { wait: clock.wait, deadline: askedAt + leaseMs - settleMarginMs },
    )
    const leases = [
      ...attempts.map((started) => askedAt + started.leaseMs),
      ...(toBegin.length < timely.length ? [claimEndsAt] : []),
    ]
    const inTime = { wait: clock.wait, deadline: Math.min(askedAt + leaseMs, ...leases) - settleMarginMs }
    const attemptOf = new Map(attempts.map((started) => [nameOf(started), started.attempt]))
    const ours = timely.filter(({ begun, key }) => begun || attemptOf.has(nameOf(key)))
    const token = [attemptToken, run.leaseToken]
    await failpoint('after-attempt', run.origin, ours)
    const { results, failures } = await sendInTime(ours, inTime.deadline)
    await failpoint('after-accept', run.origin, ours)
    const settlements: Settlement[] = []
    const back: GivenBack[] = []
    for (const [index, delivery] of ours.entries()) {
      const { key, target } = delivery
      const attempt = attemptOf.get(nameOf(key)) ?? 1
      const attempted = { key, kind: trafficKindOf(delivery), address: target.address, attempt }
      const ending = settlementOf(attempted, results[index] as SendResult, rules)
      if (ending.kind === 'settled') settlements.push(ending.settlement)
      else back.push(ending.row)
    }
    const { deliveries, note } = await untilAnswered(
      () => settleDeliveries(pool, settlements, { token, now: clock.now() }),
      inTime,
    )
    await untilAnswered(() => giveBackDeliveries(pool, back, token), inTime)
    await failpoint('after-settle', run.origin, ours)
    observe(ours, results)
    if (failures.length > 0) throw failures[0]
    const settlementOfKey = new Map(settlements.map((settlement) => [nameOf(settlement), settlement]))
    if (note === undefined) return []
    return [{ settlements: deliveries.flatMap((key) => settlementOfKey.get(nameOf(key)) ?? []), note }]
  }

  /** A process that slept until its lease was over sends nothing: somebody else may have settled the rows. */
  const sendInTime = async (held: readonly HeldDelivery[], deadline: number): Promise<Sent> => {
    const deadlineMs = Math.min(config.DELIVERY_SEND_DEADLINE_MS, deadline - performance.now())
    if (deadlineMs > 0) return sendByChannel(providers, held, { deadlineMs })
    return { results: held.map(() => ({ kind: 'not-taken', code: 'LEASE_OVER', latencyMs: 0 })), failures: [] }
  }

  const observe = (held: readonly HeldDelivery[], results: readonly SendResult[]): void => {
    countBy(results, ({ kind }, index) => `${held[index]?.key.channel} ${kind}`).forEach((count, name) => {
      const [channel, result] = name.split(' ') as [Channel, SendResult['kind']]
      metrics.settled.inc({ channel, result }, count)
    })
    for (const [index, { notification }] of held.entries()) {
      const { kind } = results[index] as SendResult
      const type = notification.notificationType
      if (kind !== 'accepted') continue
      const since = notification.eventTimestamp ?? notification.timestamp
      metrics.eventToProviderSeconds.observe({ type }, Math.max(0, clock.now() - since) / 1_000)
    }
  }

  const reserve = async (channel: Channel, held: readonly HeldDelivery[], kind: TrafficKind, run: DeliveryRun) => {
    const wanted = Math.min(held.length, config.DELIVERY_SEND_BATCH)
    const { granted, retryAfterMs } = run.signal.aborted
      ? { granted: 0, retryAfterMs: Number.POSITIVE_INFINITY }
      : await providers[channel].reserve(wanted, kind)
    return { channel, granted: held.slice(0, granted), rest: held.slice(granted), retryAfterMs }
  }

  const deliverKind = async (held: readonly HeldDelivery[], kind: TrafficKind, run: DeliveryRun) => {
    const settled: SettledTogether[] = []
    let heldBack = false
    let left = byChannel(held)
    let patience = patienceMs
    while (left.size > 0) {
      const answers = await Promise.all([...left].map(([channel, waiting]) => reserve(channel, waiting, kind, run)))
      const granted = answers.flatMap((answer) => answer.granted)
      if (granted.length > 0) {
        settled.push(...(await sendGranted(granted, run)))
        await run.progress()
      }
      left = new Map()
      let waitMs = Number.POSITIVE_INFINITY
      for (const answer of answers) {
        if (answer.rest.length === 0) continue
        if (answer.granted.length > 0 || answer.retryAfterMs <= patience) {
          left.set(answer.channel, answer.rest)
          waitMs = Math.min(waitMs, answer.retryAfterMs)
        } else {
          await giveBack(answer.rest, run.signal.aborted ? 0 : answer.retryAfterMs, run.leaseToken)
          heldBack = true
        }
      }
      if (granted.length > 0 || left.size === 0) continue
      patience -= Math.max(1, waitMs)
      await clock.wait(waitMs)
    }
    return { settled, heldBack }
  }

  const giveBack = (held: readonly HeldDelivery[], retryInMs: number, leaseToken: string) =>
    giveBackDeliveries(
      pool,
      held.map(({ key }) => ({ ...key, code: 'HELD_BACK', retryInMs })),
      leaseToken,
    )

  return async (held, run) => {
    const settled: SettledTogether[] = []
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

const byChannel = (held: readonly HeldDelivery[]): Map<Channel, HeldDelivery[]> => {
  const groups = new Map<Channel, HeldDelivery[]>()
  for (const delivery of held) {
    const group = groups.get(delivery.key.channel)
    if (group) group.push(delivery)
    else groups.set(delivery.key.channel, [delivery])
  }
  return groups
}

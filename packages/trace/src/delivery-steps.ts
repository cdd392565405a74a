import type { LedgerDelivery, LedgerEntry } from '@dropbell/database/ledger/read-entries'
import type { NotificationOutcome, TargetResult } from '@dropbell/schemas/generated/notification-outcome'
import { isRefusalCode } from '@dropbell/schemas/refusal-codes'
import type { WayFacts } from './facts.ts'
import type { Step } from './trace.ts'

/** From the plan to the outcomes, as far as the ledger, the history and Kafka know. */
export const deliverySteps = (facts: WayFacts): Step[] => {
  const { ledger, outcomes = [] } = facts
  const sent = uniqueResults(outcomes, ledger).map(resultStep)
  const open = ledger?.deliveries.flatMap(openStep) ?? []
  const invalid = ledger?.deliveries.flatMap(invalidStep) ?? []
  return [
    ...(ledger ? [plannedStep(ledger)] : []),
    ...[...sent, ...invalid, ...open, ...outcomeSteps(outcomes)].sort(byTime),
  ]
}

const plannedStep = ({ plannedAt: at, deliveries, refusal }: LedgerEntry): Step => ({
  kind: 'planned',
  at,
  targets: deliveries.map(({ channel, targetId: target }) => ({ channel, target })),
  refusal,
})

/** Every revision tells of the last attempt at each target: all of them together tell of every attempt. */
const uniqueResults = (outcomes: readonly NotificationOutcome[], ledger: LedgerEntry | undefined): TargetResult[] => {
  const results = new Map<string, TargetResult>()
  for (const result of [
    ...outcomes.flatMap((outcome) => outcome.results),
    ...(ledger?.deliveries ?? []).flatMap(toResult),
  ]) {
    results.set(`${result.channel} ${result.target} ${result.attempt} ${result.code}`, result)
  }
  return [...results.values()]
}

const toResult = (delivery: LedgerDelivery): TargetResult[] => {
  const { channel, targetId: target, status, attempt, code, latencyMs, settledAt } = delivery
  if (status === 'READY' || settledAt === null) return []
  return [{ channel, target, attempt, code: status === 'SUCCESS' ? null : code, latencyMs, at: settledAt }]
}

/** One of our own codes ends a delivery without another attempt, whatever was tried before. */
const resultStep = ({ channel, target, attempt, code, latencyMs, at }: TargetResult): Step =>
  code !== null && (attempt === 0 || isRefusalCode(code))
    ? { kind: 'withheld', at, channel, target, code }
    : { kind: 'attempted', at, channel, target, attempt, code, latencyMs }

const openStep = (delivery: LedgerDelivery): Step[] => {
  const { channel, targetId: target, status, code, notBefore, retryable, nextRetryAt, attemptedAt } = delivery
  if (status === 'READY' && notBefore !== null && attemptedAt === null) {
    return [{ kind: 'deferred', at: null, channel, target, until: notBefore, code }]
  }
  return retryable ? [{ kind: 'retry-due', at: null, channel, target, code, due: nextRetryAt }] : []
}

const invalidStep = ({ invalidDevice, targetId: target, status }: LedgerDelivery): Step[] =>
  invalidDevice && status === 'FAIL'
    ? [{ kind: 'device-invalid', at: invalidDevice.at, target, reason: invalidDevice.reason }]
    : []

const outcomeSteps = (outcomes: readonly NotificationOutcome[]): Step[] =>
  outcomes
    .toSorted((one, other) => one.revision - other.revision)
    .map(({ occurredAt: at, status, reason, revision }) => ({ kind: 'outcome', at, status, reason, revision }))

/** What has no time is still to come; at the same moment an outcome comes after what led to it. */
const byTime = (one: Step, other: Step): number => {
  const [first, second] = [one.at ?? Number.POSITIVE_INFINITY, other.at ?? Number.POSITIVE_INFINITY]
  if (first !== second) return first < second ? -1 : 1
  return Number(one.kind === 'outcome') - Number(other.kind === 'outcome')
}

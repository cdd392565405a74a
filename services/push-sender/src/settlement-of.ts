import type { DeliveryKey } from '@dropbell/database/ledger/delivery-key'
import type { GivenBack } from '@dropbell/database/ledger/give-back-deliveries'
import { unknownOutcome } from '@dropbell/database/ledger/settle-abandoned'
import type { Settlement } from '@dropbell/database/ledger/settle-deliveries'
import type { SendResult, TrafficKind } from './provider.ts'

export interface Attempted {
  readonly key: DeliveryKey
  /** This one included. */
  readonly attempt: number
  readonly kind: TrafficKind
  /** Where it was sent to. */
  readonly address: string
}

export interface RetryRules {
  /** Before each quick retry. */
  readonly delaysMs: readonly number[]
  /** From 0 to 1: spreads retries of one moment over a while. */
  random(): number
}

export type Ending =
  | { readonly kind: 'settled'; readonly settlement: Settlement }
  | { readonly kind: 'given-back'; readonly row: GivenBack }

/** Of a message that is known not to have been taken, for which nobody said when to come again. */
const notTakenDelayMs = 1_000

/**
 * What the ledger says after an attempt. Only where the provider certainly has not taken it is the attempt taken back;
 * an unknown outcome is final for a promotional one: a missed alert is better than two.
 */
export const settlementOf = (attempted: Attempted, result: SendResult, rules: RetryRules): Ending => {
  const { key, kind, address } = attempted
  switch (result.kind) {
    case 'accepted':
      return { kind: 'settled', settlement: accepted(key, result.latencyMs, result.providerId) }
    case 'refused': {
      const again = result.retryable ? retry(attempted, rules, result.retryAfterMs) : never
      const settlement = failed(key, result.code, again, Math.round(result.latencyMs))
      return { kind: 'settled', settlement: result.invalidTarget ? { ...settlement, deadToken: address } : settlement }
    }
    case 'unknown': {
      const again = kind === 'transactional' ? repeat(attempted, rules) : never
      return { kind: 'settled', settlement: failed(key, unknownOutcome, again, null) }
    }
    case 'not-taken':
      return givenBack(key, result.code, jittered(notTakenDelayMs, rules))
    case 'held-back':
      return givenBack(key, result.code, result.retryAfterMs)
  }
}

/** Settles what was not even attempted. */
export const refused = (key: DeliveryKey, code: string): Settlement => failed(key, code, never, null)

type Again = Pick<Settlement, 'retryable' | 'retryInMs'>

const never: Again = { retryable: false, retryInMs: null }

const accepted = (key: DeliveryKey, latencyMs: number, providerId: string | null): Settlement => ({
  notificationId: key.notificationId,
  channel: key.channel,
  targetId: key.targetId,
  status: 'SUCCESS',
  code: null,
  retryable: false,
  retryInMs: null,
  latencyMs: Math.round(latencyMs),
  // Somebody else's text: Postgres takes no NUL, and nobody needs a long one.
  providerId: providerId?.replace(/\p{Cc}/gu, '').slice(0, 200) ?? null,
  deadToken: null,
})

const failed = (
  key: DeliveryKey,
  code: string,
  { retryable, retryInMs }: Again,
  latencyMs: number | null,
): Settlement => ({
  notificationId: key.notificationId,
  channel: key.channel,
  targetId: key.targetId,
  status: 'FAIL',
  code,
  retryable,
  retryInMs,
  latencyMs,
  providerId: null,
  deadToken: null,
})

const givenBack = (key: DeliveryKey, code: string, retryInMs: number): Ending => ({
  kind: 'given-back',
  row: { ...key, code, retryInMs },
})

/** Without a time once the quick retries are spent: the sweep comes for it. */
const retry = ({ attempt }: Attempted, rules: RetryRules, retryAfterMs = 0): Again => {
  const delayMs = rules.delaysMs[attempt - 1]
  if (delayMs === undefined) return { retryable: true, retryInMs: null }
  return { retryable: true, retryInMs: Math.max(jittered(delayMs, rules), retryAfterMs) }
}

/** Only a push with the same collapse key takes the place of the one before: anything else is repeated a few times, not for days. */
const repeat = (attempted: Attempted, rules: RetryRules): Again => {
  const again = retry(attempted, rules)
  return again.retryInMs === null && attempted.key.channel !== 'PUSH' ? never : again
}

const jittered = (delayMs: number, { random }: RetryRules): number => Math.round(delayMs * (1 + 0.2 * random()))

import type { Logger } from '@dropbell/shared/log'
import type { TokenMessage } from 'firebase-admin/messaging'
import type { Outgoing, Provider, SendOptions, SendResult } from '../provider.ts'
import { buildMessage, type MessageRules } from './build-message.ts'
import type { FcmBreaker } from './fcm-breaker.ts'
import type { FcmBudget } from './fcm-budget.ts'
import { fcmErrors, isFcmErrorCode } from './fcm-errors.ts'
import type { FcmMetrics } from './fcm-metrics.ts'
import { heldBack } from './held-back.ts'
import { maxPayloadBytes, payloadBytes } from './payload-size.ts'
import type { FcmTransport, HeldBack } from './transport.ts'

export interface FcmRules extends MessageRules {
  readonly quotaPauseMs: number
  /** Milliseconds since the epoch. */
  now(): number
}

export interface FcmProviderParts {
  transport: FcmTransport
  budget: FcmBudget
  breaker: FcmBreaker
  rules: FcmRules
  metrics: FcmMetrics
  log: Logger
}

/** The channel PUSH, over whichever transport. */
export const createFcmProviderOver = (parts: FcmProviderParts): Provider => {
  const { transport, budget, breaker, metrics } = parts
  let closing: Promise<void> | undefined

  const holdBack = (): HeldBack | undefined => {
    const openMs = breaker.openForMs()
    if (openMs > 0) return heldBack('FCM_BREAKER_OPEN', openMs)
    const pausedMs = budget.pausedForMs()
    return pausedMs > 0 ? heldBack('FCM_PAUSED', pausedMs) : undefined
  }

  return {
    channel: 'PUSH',

    reserve: async (wanted, kind) => {
      const { allowed, retryAfterMs } = breaker.allow(wanted)
      const answer = await budget.reserve(allowed, kind)
      metrics.reserved.inc({ kind, result: 'granted' }, answer.granted)
      metrics.reserved.inc({ kind, result: 'breaker' }, wanted - allowed)
      if (answer.limit) metrics.reserved.inc({ kind, result: answer.limit }, allowed - answer.granted)
      if (answer.granted >= wanted) return { granted: answer.granted, retryAfterMs: 0 }
      return { granted: answer.granted, retryAfterMs: Math.max(retryAfterMs, answer.retryAfterMs) }
    },

    send: async (messages, options) => {
      if (closing === undefined) return sendAll(parts, messages, options, holdBack)
      return messages.map((_, index) => {
        const result: SendResult = { kind: 'not-taken', code: 'CLOSED', latencyMs: 0 }
        options.onResult?.(index, result)
        return result
      })
    },

    close: () => {
      closing ??= transport.close()
      return closing
    },
  }
}

const sendAll = async (
  parts: FcmProviderParts,
  messages: readonly Outgoing[],
  { deadlineMs, signal, onResult }: SendOptions,
  holdBack: () => HeldBack | undefined,
): Promise<SendResult[]> => {
  const deadlineAt = performance.now() + deadlineMs
  const results: SendResult[] = new Array(messages.length)
  const pending: Promise<void>[] = []
  const settle = (index: number, result: SendResult): void => {
    results[index] = result
    observe(parts, result)
    if (isQuota(result)) pending.push(pauseAll(parts, result.retryAfterMs))
    onResult?.(index, result)
  }

  const { fitting, indices } = fit(parts, messages, settle)
  await parts.transport.send(fitting, {
    deadlineAt,
    signal,
    holdBack,
    settle: (position, result) => {
      const index = indices[position] as number
      if (result.tokenInDoubt === undefined) return settle(index, result)
      const { tokenInDoubt: _, ...refusal } = result
      const { token } = fitting[position] as TokenMessage
      const check = parts.transport.refusesToken(token, { deadlineAt, signal })
      pending.push(check.then((dead) => settle(index, dead ? withDeadTarget(refusal) : refusal)))
    },
  })
  // By length: what is settled last may add to it.
  for (let next = 0; next < pending.length; next++) await pending[next]
  shout(parts.log, results)
  return results
}

/** Those that FCM would take; the others are refused here, where it can be said why. */
const fit = (
  { rules, log }: FcmProviderParts,
  messages: readonly Outgoing[],
  settle: (index: number, result: SendResult) => void,
): { fitting: TokenMessage[]; indices: number[] } => {
  const now = rules.now()
  const fitting: TokenMessage[] = []
  const indices: number[] = []
  for (const [index, outgoing] of messages.entries()) {
    const message = buildMessage(outgoing, rules, now)
    const bytes = payloadBytes(message)
    if (bytes <= maxPayloadBytes) {
      fitting.push(message)
      indices.push(index)
      continue
    }
    const { deliveryId, notification } = outgoing
    log.warn(
      { deliveryId, notificationId: notification.notificationId, detail: `${bytes} of ${maxPayloadBytes} bytes` },
      'message is too large for FCM',
    )
    settle(index, { kind: 'refused', code: 'PAYLOAD_TOO_LARGE', retryable: false, latencyMs: 0 })
  }
  return { fitting, indices }
}

const observe = ({ breaker, metrics }: FcmProviderParts, result: SendResult): void => {
  breaker.record(result)
  metrics.sends.inc({ result: result.kind })
  if (result.kind !== 'accepted') metrics.failures.inc({ code: result.code })
  const answered = result.kind === 'accepted' || (result.kind === 'refused' && result.code !== 'PAYLOAD_TOO_LARGE')
  if (answered) metrics.sendSeconds.observe(result.latencyMs / 1_000)
}

const withDeadTarget = (result: SendResult): SendResult =>
  result.kind === 'refused' ? { ...result, invalidTarget: true } : result

type Refused = Extract<SendResult, { kind: 'refused' }>

const isQuota = (result: SendResult): result is Refused =>
  result.kind === 'refused' && isFcmErrorCode(result.code) && fcmErrors[result.code].fault === 'quota'

const pauseAll = ({ budget, rules, metrics }: FcmProviderParts, retryAfterMs = 0): Promise<void> => {
  if (budget.pausedForMs() === 0) metrics.pauses.inc()
  return budget.pause(Math.max(rules.quotaPauseMs, retryAfterMs))
}

/** Nothing is wrong with these messages: somebody has to look at the project. Once per batch, not per message. */
const shout = (log: Logger, results: readonly SendResult[]): void => {
  const counts = new Map<string, number>()
  for (const result of results) {
    if (result.kind !== 'refused' || !isFcmErrorCode(result.code)) continue
    if (fcmErrors[result.code].fault === 'operator') counts.set(result.code, (counts.get(result.code) ?? 0) + 1)
  }
  for (const [code, records] of counts) log.error({ kind: code, records }, 'FCM refuses us: check the Firebase project')
}

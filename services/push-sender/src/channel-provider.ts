import type { Logger } from '@dropbell/shared/log'
import { type ChannelTransport, type HeldBack, heldBack, notTaken } from './channel-transport.ts'
import { countBy } from './count-by.ts'
import type { Outgoing, Provider, SendOptions, SendResult } from './provider.ts'
import { createProviderBreaker, type Verdict } from './provider-breaker.ts'
import { failureLabelOf, type MeasuredChannel, type ProviderMetrics } from './provider-metrics.ts'

export interface ChannelProviderParts {
  channel: MeasuredChannel
  transport: ChannelTransport
  breaker: { failures: number; resetMs: number }
  /** What one result says about the provider. */
  verdictOn(result: SendResult): Verdict
  /** Nothing is wrong with a message that ends so: somebody has to look at our settings. */
  isOperatorFault?(code: string): boolean
  /** Most that is granted at once: as much as can be sent before its deadline. */
  maxGrant?: number
  metrics: ProviderMetrics
  log: Logger
}

/** Breaker, metrics, and the end of it all, over whichever transport. */
export const createChannelProvider = (parts: ChannelProviderParts): Provider => {
  const { channel, transport, metrics, log, maxGrant = Number.POSITIVE_INFINITY } = parts
  const breaker = createProviderBreaker({
    ...parts.breaker,
    onChange: (state) => {
      metrics.breaker.inc({ channel, state })
      log.warn({ channel, outcome: state }, 'breaker of a channel changed')
    },
  })
  let closing: Promise<void> | undefined

  const holdBack = (): HeldBack | undefined => {
    const openMs = breaker.openForMs()
    return openMs > 0 ? heldBack('BREAKER_OPEN', openMs) : undefined
  }

  const send = async (messages: readonly Outgoing[], options: SendOptions): Promise<SendResult[]> => {
    const { deadlineMs, signal, onResult } = options
    const results: SendResult[] = new Array(messages.length)
    const settle = (index: number, result: SendResult): void => {
      results[index] = result
      breaker.tell(parts.verdictOn(result))
      onResult?.(index, result)
    }
    if (closing === undefined) {
      const deadlineAt = performance.now() + deadlineMs
      await transport.send(messages, { deadlineAt, signal, holdBack, settle })
    } else {
      for (const index of messages.keys()) settle(index, notTaken('CLOSED'))
    }
    observe(parts, results)
    shout(parts, results)
    return results
  }

  return {
    channel,
    reserve: async (wanted) => {
      const { allowed, retryAfterMs } = breaker.allow(wanted)
      return { granted: Math.min(allowed, maxGrant), retryAfterMs: allowed >= wanted ? 0 : retryAfterMs }
    },
    send,
    close: () => {
      closing ??= transport.close()
      return closing
    },
  }
}

const observe = ({ channel, metrics }: ChannelProviderParts, results: readonly SendResult[]): void => {
  for (const [result, count] of countBy(results, ({ kind }) => kind)) metrics.sends.inc({ channel, result }, count)
  for (const result of results) {
    if (result.kind !== 'accepted') metrics.failures.inc({ channel, code: failureLabelOf(result.code) })
    const answered = result.kind === 'accepted' || result.kind === 'refused'
    if (answered && result.latencyMs > 0) metrics.sendSeconds.observe({ channel }, result.latencyMs / 1_000)
  }
}

/** Once per batch, not per message. */
const shout = ({ channel, isOperatorFault, log }: ChannelProviderParts, results: readonly SendResult[]): void => {
  const counts = new Map<string, number>()
  for (const result of results) {
    if (result.kind === 'accepted' || !isOperatorFault?.(result.code)) continue
    counts.set(result.code, (counts.get(result.code) ?? 0) + 1)
  }
  for (const [kind, records] of counts) {
    log.error({ channel, kind, records }, 'the provider of a channel refuses us: check its settings')
  }
}

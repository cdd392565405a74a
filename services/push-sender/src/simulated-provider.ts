import type { Channel } from '@dropbell/schemas/generated/notification-event'
import type { Logger } from '@dropbell/shared/log'
import type { Provider, SendResult } from './provider.ts'

export interface SimulatedProviderOptions {
  channel: Channel
  log: Logger
}

/** Logs what would be sent, never to whom. The default of every channel that nothing is configured for. */
export const createSimulatedProvider = ({ channel, log }: SimulatedProviderOptions): Provider => {
  let closed = false
  log.warn({ channel }, 'channel is simulated: its deliveries are logged, and reach nobody')
  return {
    channel,
    reserve: async (wanted) => ({ granted: Math.max(0, wanted), retryAfterMs: 0 }),
    send: async (messages, { signal, onResult }) =>
      messages.map(({ deliveryId, notification, target }, index) => {
        const { notificationId, notificationType, title, body } = notification
        const result: SendResult =
          closed || signal?.aborted
            ? { kind: 'not-taken', code: closed ? 'CLOSED' : 'ABORTED_BEFORE_SEND', latencyMs: 0 }
            : { kind: 'accepted', latencyMs: 0, providerId: `simulated/${deliveryId}` }
        const { platform } = target
        const about = { deliveryId, notificationId, notificationType, ...(platform && { platform }), title, body }
        log.info({ channel, ...about, outcome: result.kind }, 'delivery simulated')
        onResult?.(index, result)
        return result
      }),
    close: async () => {
      closed = true
    },
  }
}

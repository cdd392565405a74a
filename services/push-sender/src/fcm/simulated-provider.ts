import type { Logger } from '@dropbell/shared/log'
import type { Provider, SendResult } from '../provider.ts'

/** Logs what would be sent, never to whom: a token is an address. The default where no credentials are configured. */
export const createSimulatedFcmProvider = ({ log }: { log: Logger }): Provider => {
  let closed = false
  log.warn('pushes are simulated: they are logged, and reach nobody')
  return {
    channel: 'PUSH',
    reserve: async (wanted) => ({ granted: Math.max(0, wanted), retryAfterMs: 0 }),
    send: async (messages, { signal, onResult }) =>
      messages.map(({ deliveryId, notification, target }, index) => {
        const { notificationId, notificationType, title, body } = notification
        const result: SendResult =
          closed || signal?.aborted
            ? { kind: 'not-taken', code: closed ? 'CLOSED' : 'ABORTED_BEFORE_SEND', latencyMs: 0 }
            : { kind: 'accepted', latencyMs: 0, providerId: `simulated/${deliveryId}` }
        const { platform } = target
        const fields = { deliveryId, notificationId, notificationType, platform, title, body, outcome: result.kind }
        log.info(fields, 'push simulated')
        onResult?.(index, result)
        return result
      }),
    close: async () => {
      closed = true
    },
  }
}

import { randomUUID } from 'node:crypto'
import { chunksOf } from '@dropbell/shared/chunks-of'
import type { Logger } from '@dropbell/shared/log'
import { withDeadline } from '@dropbell/shared/with-deadline'
import { deleteApp, initializeApp } from 'firebase-admin/app'
import { getMessaging, type Messaging, type SendResponse, type TokenMessage } from 'firebase-admin/messaging'
import type { FcmAccess } from './fcm-access.ts'
import { errorOfSdk, fcmErrors } from './fcm-errors.ts'
import { endpointAgent } from './sdk-endpoint-agent.ts'
import type { FcmTransport, TransportOptions, TransportResult } from './transport.ts'

export interface SdkTransportOptions {
  access: FcmAccess
  /** Whether `access` leads to a simulator: the SDK knows one host only, and has to be led astray. */
  simulator: boolean
  log: Logger
}

/** The most `sendEach` takes. */
const batchSize = 500

/**
 * FCM through `firebase-admin` itself, for comparison and as a way out. It repeats a message by itself after a lost
 * connection or a 503, and goes on with a batch that we have given up: a person may be told twice.
 */
export const createSdkTransport = ({ access, simulator, log }: SdkTransportOptions): FcmTransport => {
  log.warn('FCM_TRANSPORT=sdk repeats messages by itself: at most once to a person does not hold')
  const agent = simulator ? endpointAgent(access.origin) : undefined
  const app = initializeApp(
    { credential: access.openCredential(), projectId: access.projectId, ...(agent && { httpAgent: agent }) },
    randomUUID(),
  )
  const messaging = getMessaging(app)
  // Its HTTP/2 cannot be pointed anywhere else.
  if (simulator) messaging.enableLegacyHttpTransport()
  return {
    send: async (messages, options) => {
      let first = 0
      for (const batch of chunksOf(messages, batchSize)) {
        await sendBatch(messaging, batch, first, options)
        first += batch.length
      }
    },

    refusesToken: async (token, { deadlineAt }) => {
      const dryRun = messaging.send({ token, data: { check: 'token' } }, true)
      const refusal = await withDeadline(dryRun, timeLeft(deadlineAt), tooLate).then(
        () => undefined,
        (error: { code?: string }) => errorOfSdk(error.code ?? ''),
      )
      return refusal === 'INVALID_ARGUMENT' || refusal === 'UNREGISTERED'
    },

    close: async () => {
      await deleteApp(app)
      agent?.destroy()
    },
  }
}

const sendBatch = async (
  messaging: Messaging,
  batch: readonly TokenMessage[],
  first: number,
  { deadlineAt, signal, holdBack, settle }: TransportOptions,
): Promise<void> => {
  const settleBatch = (resultOf: (index: number) => TransportResult): void => {
    for (let index = 0; index < batch.length; index++) settle(first + index, resultOf(index))
  }
  const held = holdBack()
  if (held) return settleBatch(() => held)
  if (signal?.aborted) return settleBatch(() => ({ kind: 'not-taken', code: 'ABORTED_BEFORE_SEND', latencyMs: 0 }))
  if (timeLeft(deadlineAt) <= 0) {
    return settleBatch(() => ({ kind: 'not-taken', code: 'NOT_SENT_IN_TIME', latencyMs: 0 }))
  }
  const startedAt = performance.now()
  const latency = (): number => performance.now() - startedAt
  try {
    const sending = unlessAborted(messaging.sendEach([...batch]), signal)
    const { responses } = await withDeadline(sending, timeLeft(deadlineAt), tooLate)
    const latencyMs = latency()
    settleBatch((index) => toResult(responses[index], latencyMs))
  } catch (error) {
    // Whatever it was, some messages may have left.
    const latencyMs = latency()
    const code = error === deadlinePassed ? 'DEADLINE_EXCEEDED' : signal?.aborted ? 'ABORTED' : 'SDK_FAILED'
    settleBatch(() => ({ kind: 'unknown', code, latencyMs }))
  }
}

const timeLeft = (deadlineAt: number): number => deadlineAt - performance.now()

const deadlinePassed = new Error('The deadline has passed')

const tooLate = (): Error => deadlinePassed

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })

const toResult = (response: SendResponse | undefined, latencyMs: number): TransportResult => {
  if (response?.success) return { kind: 'accepted', latencyMs, providerId: response.messageId ?? null }
  const code = errorOfSdk(response?.error?.code ?? '')
  // `app/network-error` and the like: after how many attempts of its own, the SDK does not say.
  if (code === undefined) return { kind: 'unknown', code: 'SDK_FAILED', latencyMs }
  const { retryable, fault } = fcmErrors[code]
  return {
    kind: 'refused',
    code,
    retryable,
    ...(fault === 'device' && { invalidTarget: true }),
    // The SDK keeps the details to itself.
    ...(code === 'INVALID_ARGUMENT' && { tokenInDoubt: true }),
    latencyMs,
  }
}

import { DropbellError } from '@dropbell/shared/errors'
import type { OutgoingRecord, Publisher } from '@dropbell/shared/kafka/publisher'
import { type ChannelTransport, heldBack, notTaken, type TransportOptions, unknown } from '../channel-transport.ts'
import type { Outgoing, SendResult } from '../provider.ts'
import { type Encoded, encodeNotifications, type InAppWriter } from './encode-notifications.ts'

export interface InAppTransportOptions extends InAppWriter {
  publisher: Pick<Publisher, 'publish'>
}

interface Numbered {
  readonly index: number
  readonly record: OutgoingRecord
}

/** What any broker takes; what is larger goes by itself, so that its refusal is its own. */
const surelyTakenBytes = 64 * 1_024
const lookAgainMs = 1_000

/**
 * One publish for a batch. A publish that outlives its deadline goes on, and may still succeed: what it carries is
 * unknown, and nothing follows it until it has ended, since all of it would wait behind it.
 */
export const createInAppTransport = (options: InAppTransportOptions): ChannelTransport => {
  const { publisher } = options
  let outliving = 0

  const publish = async (
    numbered: readonly Numbered[],
    { deadlineAt, signal, settle }: TransportOptions,
  ): Promise<void> => {
    const startedAt = performance.now()
    const settleAll = (resultOf: (latencyMs: number) => SendResult): void => {
      const result = resultOf(performance.now() - startedAt)
      for (const { index } of numbered) settle(index, result)
    }
    const ending = givenUp(deadlineAt, signal)
    const publishing = publisher.publish(numbered.map(({ record }) => record)).then(
      () => 'acknowledged' as const,
      (error: { code?: string }) => error.code ?? 'PUBLISH_FAILED',
    )
    const end = await Promise.race([publishing, ending.promise])
    ending.clear()
    if (end === 'acknowledged') return settleAll((latencyMs) => ({ kind: 'accepted', latencyMs, providerId: null }))
    if (end === 'RECORD_TOO_LARGE' && numbered.length === 1) return settleAll(() => refused(end))
    if (end === 'PUBLISHER_CLOSED') return settleAll(() => notTaken('CLOSED'))
    if (end === 'ABORTED' || end === 'DEADLINE_EXCEEDED') {
      outliving++
      publishing.finally(() => outliving--)
      return settleAll((latencyMs) => unknown(end, latencyMs))
    }
    settleAll((latencyMs) => unknown('PUBLISH_FAILED', latencyMs))
  }

  const send = async (messages: readonly Outgoing[], transport: TransportOptions): Promise<void> => {
    const { deadlineAt, signal, holdBack, settle } = transport
    const settleAll = (result: SendResult): void => {
      for (const index of messages.keys()) settle(index, result)
    }
    if (messages.length === 0) return
    if (signal?.aborted) return settleAll(notTaken('ABORTED_BEFORE_SEND'))
    const held = outliving > 0 ? heldBack('PUBLISH_UNDER_WAY', lookAgainMs) : holdBack()
    if (held) return settleAll(held)
    const encoded = await encodeInTime(options, messages, deadlineAt)
    if (encoded === undefined) return settleAll(notTaken('REGISTRY_UNAVAILABLE'))
    const together: Numbered[] = []
    const alone: Numbered[][] = []
    for (const [index, record] of encoded.entries()) {
      if ('refused' in record) settle(index, refused(record.refused))
      else if ((record.value?.length ?? 0) > surelyTakenBytes) alone.push([{ index, record }])
      else together.push({ index, record })
    }
    await Promise.all([together, ...alone].filter(({ length }) => length > 0).map((part) => publish(part, transport)))
  }

  return { send, close: async () => {} }
}

const refused = (code: string): SendResult => ({ kind: 'refused', code, retryable: false, latencyMs: 0 })

/** Undefined if the registry does not say, or not in time, what to encode with: nothing was written then. */
const encodeInTime = async (
  writer: InAppWriter,
  messages: readonly Outgoing[],
  deadlineAt: number,
): Promise<Encoded[] | undefined> => {
  const ending = givenUp(deadlineAt, undefined)
  try {
    return await Promise.race([encodeNotifications(writer, messages), ending.promise.then(() => undefined)])
  } catch (error) {
    if (error instanceof DropbellError) return undefined
    throw error
  } finally {
    ending.clear()
  }
}

const givenUp = (deadlineAt: number, signal: AbortSignal | undefined) => {
  let clear = (): void => {}
  const promise = new Promise<'ABORTED' | 'DEADLINE_EXCEEDED'>((resolve) => {
    const timer = setTimeout(() => resolve('DEADLINE_EXCEEDED'), Math.max(0, deadlineAt - performance.now()))
    const abort = (): void => resolve('ABORTED')
    signal?.addEventListener('abort', abort, { once: true })
    clear = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  })
  return { promise, clear }
}

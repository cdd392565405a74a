import { type HeldDelivery, toOutgoing } from './held-delivery.ts'
import type { Outgoing, Providers, SendOptions, SendResult } from './provider.ts'

export interface Sent {
  /** In the order given. */
  readonly results: readonly SendResult[]
  /** Of providers that broke their promise never to reject: nobody knows what became of what they were given. */
  readonly failures: readonly unknown[]
}

/** Hands everything to its provider, over all channels at the same time. What one of them does is no other's concern. */
export const sendByChannel = async (
  providers: Providers,
  held: readonly HeldDelivery[],
  options: SendOptions,
): Promise<Sent> => {
  const batches = new Map<keyof Providers, { messages: Outgoing[]; indices: number[] }>()
  for (const [index, delivery] of held.entries()) {
    const batch = batches.get(delivery.key.channel) ?? { messages: [], indices: [] }
    batch.messages.push(toOutgoing(delivery))
    batch.indices.push(index)
    batches.set(delivery.key.channel, batch)
  }
  const results: SendResult[] = new Array(held.length)
  const sent = [...batches].map(async ([channel, { messages, indices }]) => {
    const answers = await providers[channel].send(messages, options)
    for (const [position, index] of indices.entries()) results[index] = answers[position] as SendResult
  })
  const endings = await Promise.allSettled(sent)
  const failures = endings.flatMap((ending) => (ending.status === 'rejected' ? [ending.reason] : []))
  return { results: Array.from(results, (result) => result ?? lost), failures }
}

const lost: SendResult = { kind: 'unknown', code: 'PROVIDER_FAILED', latencyMs: 0 }

import { type HeldDelivery, toOutgoing } from './held-delivery.ts'
import type { Outgoing, Providers, SendOptions, SendResult } from './provider.ts'

/** Hands everything to its provider, over all channels at the same time. In the order given. */
export const sendByChannel = async (
  providers: Providers,
  held: readonly HeldDelivery[],
  options: SendOptions,
): Promise<SendResult[]> => {
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
  await Promise.all(sent)
  return results
}

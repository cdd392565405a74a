import { type ICustomPartitioner, type Message, Partitioners } from 'kafkajs'

export interface StablePartitioner {
  create: ICustomPartitioner
  /** Where a message was sent, once it was. */
  partitionOf(message: Message): number | undefined
}

/**
 * Kafka's default partitioner, except that it asks once per message. kafkajs asks again at each retry, and a message
 * without key would go to another partition then, while the sequence numbers of the first are taken back: the broker
 * would take the next message there for a repetition, acknowledge it, and drop it.
 */
export const createStablePartitioner = (): StablePartitioner => {
  const chosen = new WeakMap<Message, number>()
  return {
    create: () => {
      const choose = Partitioners.DefaultPartitioner()
      return (args) => {
        const partition = chosen.get(args.message) ?? choose(args)
        chosen.set(args.message, partition)
        return partition
      }
    },
    partitionOf: (message) => chosen.get(message),
  }
}

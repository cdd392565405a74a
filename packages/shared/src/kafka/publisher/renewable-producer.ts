import type { Kafka, Producer, ProducerConfig, RecordMetadata, TopicMessages } from 'kafkajs'

export interface ProducerLease {
  send(topicMessages: TopicMessages[]): Promise<RecordMetadata[]>
  /** From now on nobody gets this producer. It is disconnected when what is under way has ended. */
  retire(): void
}

export interface RenewableProducer {
  /** The connected producer; a new one if there is none. */
  lease(): Promise<ProducerLease>
  close(): Promise<void>
}

interface Generation {
  producer: Producer
  connected: Promise<void>
  sends: Set<Promise<unknown>>
}

/**
 * An idempotent producer is trusted until its first failure, then replaced by one with another producer id. When a
 * send fails kafkajs takes its sequence numbers back and gives them to the next send, although the broker may have
 * written the first; it would then acknowledge the second as a repetition of the first, without writing it.
 */
export const createRenewableProducer = (kafka: Kafka, config: ProducerConfig): RenewableProducer => {
  const retiring = new Set<Promise<unknown>>()
  let current: Generation | undefined

  const retire = (generation: Generation): void => {
    if (current === generation) current = undefined
    const { producer, connected, sends } = generation
    // Not before its sends have ended: a send that is retried would connect the producer again.
    const gone: Promise<unknown> = Promise.allSettled([connected, ...sends])
      .then(() => producer.disconnect())
      .catch(() => {}) // The connection may be broken already, which is the reason for this.
      .finally(() => retiring.delete(gone))
    retiring.add(gone)
  }

  const begin = (): Generation => {
    const producer = kafka.producer(config)
    const generation: Generation = { producer, connected: producer.connect(), sends: new Set() }
    generation.connected.catch(() => retire(generation))
    return generation
  }

  return {
    lease: async () => {
      current ??= begin()
      const generation = current
      await generation.connected
      return {
        send: (topicMessages) => {
          const { producer, sends } = generation
          const sent = producer.sendBatch({ topicMessages, acks: -1 }).finally(() => sends.delete(sent))
          sends.add(sent)
          return sent
        },
        retire: () => retire(generation),
      }
    },
    close: async () => {
      if (current !== undefined) retire(current)
      await Promise.all(retiring)
    },
  }
}

import type { Message, RecordMetadata, TopicMessages } from 'kafkajs'
import type { OutgoingRecord } from '../publisher.ts'

export const toTopicMessages = (records: readonly OutgoingRecord[]): TopicMessages[] => {
  const byTopic = new Map<string, Message[]>()
  for (const record of records) {
    const messages = byTopic.get(record.topic)
    if (messages === undefined) byTopic.set(record.topic, [toMessage(record)])
    else messages.push(toMessage(record))
  }
  return [...byTopic].map(([topic, messages]) => ({ topic, messages }))
}

const toMessage = ({ key, value, headers, partition }: OutgoingRecord): Message => {
  const message: Message = { key, value }
  if (headers !== undefined) message.headers = headers as NonNullable<Message['headers']>
  if (partition !== undefined) message.partition = partition
  return message
}

/**
 * kafkajs resolves without having sent what is meant for a partition that its metadata does not have, or whose leader
 * changed between two of its retries.
 */
export const requireEveryPartition = (
  topicMessages: readonly TopicMessages[],
  acknowledged: readonly RecordMetadata[],
  partitionOf: (message: Message) => number | undefined,
): void => {
  const written = new Map<string, Set<number>>(topicMessages.map(({ topic }) => [topic, new Set()]))
  for (const { topicName, partition } of acknowledged) written.get(topicName)?.add(partition)
  for (const { topic, messages } of topicMessages) {
    const partitions = written.get(topic)
    const isWritten = (message: Message) => partitions?.has(partitionOf(message) ?? -1) === true
    if (!messages.every(isWritten)) throw new Error(`a partition of ${topic} has not acknowledged its records`)
  }
}

import type { Kafka, TopicMessages } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { openJournal } from './journal.ts'
import type { Run } from './run.ts'

const run = { id: 'r', counts: {} } as unknown as Run

/** A broker that answers each request as it is told, and what it was asked. */
const openWith = async (answer: (request: TopicMessages[]) => void = () => {}) => {
  const requests: TopicMessages[][] = []
  const ended: string[] = []
  const transaction = async () => ({
    sendBatch: async ({ topicMessages }: { topicMessages: TopicMessages[] }) => {
      requests.push(topicMessages)
      answer(topicMessages)
      return topicMessages.flatMap(({ topic, messages }) =>
        messages.map((message) => ({
          topicName: topic,
          partition: choose({ topic, message, partitionMetadata: [] }),
          errorCode: 0,
        })),
      )
    },
    commit: async () => void ended.push('commit'),
    abort: async () => void ended.push('abort'),
  })
  let choose: (args: object) => number = () => -1
  const producer = ({ createPartitioner }: { createPartitioner: () => typeof choose }) => {
    choose = createPartitioner()
    return { connect: async () => {}, disconnect: async () => {}, transaction }
  }
  const journal = await openJournal({ producer } as unknown as Kafka, 'shop.v1.dlq')
  requests.length = 0
  ended.length = 0
  return { journal, requests, ended }
}

const record = (topic: string, partition: number) => ({ topic, partition, key: null, value: Buffer.from('v') })

describe('a journal', () => {
  it('asks one partition a request, so that what kafkajs repeats has the numbers of the first time', async () => {
    const { journal, requests, ended } = await openWith()
    const records = [record('a', 0), record('a', 1), record('b', 0), record('a', 0)]
    await journal.commit({ records, marks: [], run })
    const places = requests.map((request) =>
      request.flatMap(({ topic, messages }) => messages.map(({ partition }) => `${topic}/${partition}`)),
    )
    expect(places).toEqual([['dropbell.dlq-state.v1/0'], ['a/0', 'a/0'], ['a/1'], ['b/0']])
    expect(ended).toEqual(['commit'])
  })

  it('aborts all of it when one of the requests fails, and sends no more', async () => {
    const { journal, requests, ended } = await openWith(([first]) => {
      if (first?.topic === 'a') throw new Error('no answer')
    })
    const records = [record('a', 0), record('a', 1)]
    await expect(journal.commit({ records, marks: [], run })).rejects.toMatchObject({ code: 'PUBLISH_FAILED' })
    expect(requests).toHaveLength(2)
    expect(ended).toEqual(['abort'])
  })
})

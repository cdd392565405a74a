import type { Kafka, TopicMessages } from 'kafkajs'
import { describe, expect, it, vi } from 'vitest'
import { captureLog } from '../testing/capture-log.ts'
import { createPublisher } from './publisher.ts'

type Send = (request: { topicMessages: TopicMessages[] }) => Promise<{ topicName: string; partition: number }[]>

/** A Kafka whose producers do as `send` says; the partitioner is asked as kafkajs would. */
const set = (send: (producer: number, topicMessages: TopicMessages[]) => Promise<void>, timeoutMs = 1_000) => {
  const producers: { sendBatch: ReturnType<typeof vi.fn<Send>>; disconnect: ReturnType<typeof vi.fn> }[] = []
  const kafka = {
    producer: ({ createPartitioner }: { createPartitioner: () => (args: object) => number }) => {
      const index = producers.length
      const choose = createPartitioner()
      const sendBatch = vi.fn<Send>(async ({ topicMessages }) => {
        const acknowledged = topicMessages.flatMap(({ topic, messages }) =>
          messages.map((message) => ({
            topicName: topic,
            partition: choose({ topic, message, partitionMetadata: [{ partitionId: 0, leader: 1 }] }),
          })),
        )
        await send(index, topicMessages)
        return acknowledged
      })
      const producer = { connect: async () => {}, disconnect: vi.fn(async () => {}), sendBatch }
      producers.push(producer)
      return producer
    },
  } as unknown as Kafka
  return { producers, publisher: createPublisher({ kafka, log: captureLog('silent').log, timeoutMs }) }
}

const record = (topic: string, value = 'v') => ({ topic, key: 'k', value: Buffer.from(value) })

describe('createPublisher', () => {
  it('connects nothing before it is used, and sends nothing for no records', async () => {
    const { producers, publisher } = set(async () => {})
    await publisher.publish([])
    await publisher.close()
    expect(producers).toEqual([])
  })

  it('uses one producer as long as nothing fails', async () => {
    const { producers, publisher } = set(async () => {})
    await publisher.publish([record('a')])
    await publisher.publish([record('b')])
    expect(producers).toHaveLength(1)
  })

  it('replaces the producer after a failure, whose sequence numbers cannot be trusted', async () => {
    const { producers, publisher } = set(async (producer) => {
      if (producer === 0) throw new Error('connection lost')
    })
    await expect(publisher.publish([record('a')])).rejects.toMatchObject({
      code: 'PUBLISH_FAILED',
      dependency: 'kafka',
    })
    await publisher.publish([record('a')])
    expect(producers).toHaveLength(2)
    expect(producers[0]?.sendBatch).toHaveBeenCalledTimes(1)
    await vi.waitFor(() => expect(producers[0]?.disconnect).toHaveBeenCalledTimes(1))
  })

  it('replaces the producer after a timeout too, but disconnects it only when its request has ended', async () => {
    let end: () => void = () => {}
    const hanging = new Promise<void>((resolve) => {
      end = resolve
    })
    const { producers, publisher } = set((producer) => (producer === 0 ? hanging : Promise.resolve()), 20)
    await expect(publisher.publish([record('a')])).rejects.toMatchObject({ code: 'PUBLISH_FAILED' })
    await publisher.publish([record('a')])
    expect(producers).toHaveLength(2)
    expect(producers[0]?.disconnect).not.toHaveBeenCalled()
    end()
    await vi.waitFor(() => expect(producers[0]?.disconnect).toHaveBeenCalledTimes(1))
  })

  it('has one request per topic on its way, and lets topics pass each other', async () => {
    const underWay: string[] = []
    const ends: (() => void)[] = []
    const { publisher } = set((_, topicMessages) => {
      underWay.push(topicMessages.map(({ topic }) => topic).join('+'))
      return new Promise((resolve) => ends.push(resolve))
    })
    const all = [publisher.publish([record('a')]), publisher.publish([record('a'), record('b')])]
    all.push(publisher.publish([record('c')]), publisher.publish([record('b')]))
    await vi.waitFor(() => expect(underWay).toEqual(['a', 'c']))
    ends[0]?.()
    await vi.waitFor(() => expect(underWay).toEqual(['a', 'c', 'a+b']))
    ends[2]?.()
    await vi.waitFor(() => expect(underWay).toEqual(['a', 'c', 'a+b', 'b']))
    ends[1]?.()
    ends[3]?.()
    await Promise.all(all)
  })
})

import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { Partitioners } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openKafkaBench } from '../../testing/kafka-bench.ts'
import { createRenewableProducer } from './renewable-producer.ts'

const config = { idempotent: true, createPartitioner: Partitioners.DefaultPartitioner, maxInFlightRequests: 1 }

describe('the renewable producer, after a request of which half was written,', () => {
  let bench: ReturnType<typeof openKafkaBench>
  beforeAll(() => {
    bench = openKafkaBench({ ...testEnv() })
  })
  afterAll(() => bench.close())

  /** Partition 0 is written, partition 1 refused, and kafkajs takes the sequence numbers of both back. */
  const publishAfterFailure = async ({ retire }: { retire: boolean }) => {
    const topic = await bench.createTopics(2)
    const producer = createRenewableProducer(bench.kafka, config)
    const first = await producer.lease()
    const half = [
      { partition: 0, value: 'first' },
      { partition: 1, value: Buffer.alloc(2 * 1024 * 1024) },
    ]
    await expect(first.send([{ topic, messages: half }])).rejects.toThrow('larger than the max message size')
    if (retire) first.retire()
    const next = await producer.lease()
    await next.send([{ topic, messages: [{ partition: 0, value: 'second' }] }])
    await producer.close()
    return (await bench.read(topic)).map(({ value }) => String(value))
  }

  it('is needed: the same producer has the next record acknowledged, and it is not there', async () => {
    expect(await publishAfterFailure({ retire: false })).toEqual(['first'])
  })

  it('loses nothing when it is retired', async () => {
    expect(await publishAfterFailure({ retire: true })).toEqual(['first', 'second'])
  })
})

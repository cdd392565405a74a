import { readFile } from 'node:fs/promises'
import type { Message } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDlqWorld, type DlqWorld } from '../testing/dlq-world.ts'
import { sendRepeatedly } from '../testing/send-repeatedly.ts'

vi.setConfig({ testTimeout: 180_000 })

const partitions = 5
const perBatch = 2_000
const times = 100
const total = partitions * perBatch * times

let world: DlqWorld
let dlq: string

const int32 = (value: number): Buffer => Buffer.from(Uint8Array.of(value >> 24, value >> 16, value >> 8, value))

/** With the headers that tell the most; a stack would only take more room. */
const letter = (n: number, partition: number): Message => ({
  key: `product-${n}`,
  value: `a value of a few dozen bytes, as events are ${n}`,
  headers: {
    'kafka_dlt-original-topic': 'shop.v1',
    'kafka_dlt-original-partition': int32(partition),
    'kafka_dlt-original-consumer-group': 'shop-group',
    'kafka_dlt-exception-fqcn': `PermanentError.REASON_${n % 5}`,
    'kafka_dlt-exception-message': 'it was about something',
  },
})

beforeAll(async () => {
  world = await createDlqWorld()
  dlq = (await world.createTopics(partitions)).dlq
  const messages = Array.from({ length: partitions }, (_, partition) =>
    Array.from({ length: perBatch }, (_each, n) => letter(perBatch * partition + n, partition)),
  )
  await sendRepeatedly(world.kafka, [world.env.KAFKA_BROKERS as string], { topic: dlq, messages, times })
})
afterAll(() => world?.close())

/** Runs the command and looks at its memory while it does. */
const watch = async (...args: string[]) => {
  const { child, result } = world.spawn(...args)
  let peakMib = 0
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMib = Math.max(peakMib, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024)
  }
  const timer = setInterval(look, 50)
  const ended = await result
  clearInterval(timer)
  return { ...ended, peakMib }
}

describe('1,000,000 dead letters', () => {
  it('are listed with the memory that a fifth of them takes', async () => {
    const some = await watch('dlq', 'list', dlq, '--partition', '0', '--json')
    expect(JSON.parse(some.stdout).selected).toBe(total / partitions)
    const all = await watch('dlq', 'list', dlq, '--json')
    expect(all.code).toBe(0)
    const answer = JSON.parse(all.stdout)
    expect(answer).toMatchObject({ selected: total, done: 0 })
    expect(answer.letters).toHaveLength(50)
    expect(all.peakMib).toBeLessThan(some.peakMib * 1.5)
    // Not even one in ten of them would fit beside what the command itself takes.
    expect(all.peakMib).toBeLessThan(400)
  })
})

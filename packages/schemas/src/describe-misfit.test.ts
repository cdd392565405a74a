import { describe, expect, it } from 'vitest'
import { createCodec } from './codec.ts'
import { EncodeError } from './codec-errors.ts'
import { registerSchemas } from './register.ts'
import { createMemoryRegistry } from './testing/memory-registry.ts'
import { sampleInventoryEvent, sampleNotification } from './testing/sample-values.ts'
import { notificationOutcomeTopic, notificationPushTopic, productInventoryTopic } from './topics.ts'

const registry = createMemoryRegistry()
await registerSchemas(registry)

const push = createCodec<unknown>({ topic: notificationPushTopic as never, registry })
const inventory = createCodec<unknown>({ topic: productInventoryTopic as never, registry })
const outcome = createCodec<unknown>({ topic: notificationOutcomeTopic as never, registry })

const refusal = async (encoding: Promise<Buffer>): Promise<EncodeError> => {
  const error = await encoding.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EncodeError)
  return error as EncodeError
}

describe('a value that does not fit names where', () => {
  const notifications: [string, object, string][] = [
    ['an unknown symbol in an array', { channels: ['PUSH', 'FAX'] }, 'channels[1]'],
    ['the name of an inherited property as a symbol', { channels: ['constructor'] }, 'channels[0]'],
    ['an array in the place of a symbol', { notificationType: ['PRICE_DROP'] }, 'notificationType'],
    ['null where there must be a text', { title: null }, 'title'],
    ['a map value of another type', { data: { price: 79.9 } }, 'data.price'],
    ['a Map, which has no keys of its own', { data: new Map([['price', '79.9']]) }, 'data'],
    ['a date for a timestamp', { expiresAt: new Date(0) }, 'expiresAt'],
    ['a fraction of a millisecond', { timestamp: 0.5 }, 'timestamp'],
    ['a long beyond what a number can hold', { timestamp: 2 ** 60 }, 'timestamp'],
    ['a bigint', { timestamp: 1n }, 'timestamp'],
    ['a field the schema does not have', { subtitle: 'more' }, 'subtitle'],
  ]
  it.each(notifications)('%s', async (_, change, path) => {
    const error = await refusal(push.encode({ ...sampleNotification, ...change }))
    expect(error).toMatchObject({ path, code: 'VALUE_DOES_NOT_FIT' })
    expect(error.message).toContain(path)
  })

  const events: [string, object, string][] = [
    ['a price beyond float32', { currentPrice: 1e39 }, 'currentPrice'],
    ['a price that is not a number', { currentPrice: Number.NaN }, 'currentPrice'],
    ['a stock beyond 32 bits', { currentStock: 2 ** 31 }, 'currentStock'],
    ['half a piece', { currentStock: 0.5 }, 'currentStock'],
  ]
  it.each(events)('%s', async (_, change, path) => {
    expect(await refusal(inventory.encode({ ...sampleInventoryEvent, ...change }))).toMatchObject({ path })
  })

  it('a missing field', async () => {
    const { title, ...untitled } = sampleNotification
    expect(await refusal(push.encode(untitled))).toMatchObject({ path: 'title' })
  })

  it('an undeclared field in place of one that has a default', async () => {
    const { expiresAt, ...value } = sampleNotification
    expect(await refusal(push.encode({ ...value, expires_at: expiresAt }))).toMatchObject({ path: 'expires_at' })
  })

  it('a fault inside a nested record', async () => {
    const result = { channel: 'PUSH', target: 'device-1', attempt: 1, code: null, latencyMs: 3, at: 0 }
    const base = { notificationId: 'n', productId: 'p', type: 'PRICE_DROP', status: 'SENT', occurredAt: 0 }
    await expect(outcome.encode({ ...base, results: [result] })).resolves.toBeInstanceOf(Buffer)
    const unknownField = { ...base, results: [result, { ...result, token: 'secret' }] }
    expect(await refusal(outcome.encode(unknownField))).toMatchObject({ path: 'results[1].token' })
    const wrongType = { ...base, results: [{ ...result, attempt: '1' }] }
    expect(await refusal(outcome.encode(wrongType))).toMatchObject({ path: 'results[0].attempt' })
  })

  it('something that is no record at all', async () => {
    for (const value of [null, undefined, 'text', 7, [], new Map()]) await refusal(push.encode(value))
  })

  it('every fault, and no text of the value', async () => {
    const { message } = await refusal(
      push.encode({ ...sampleNotification, title: 5, channels: 'my secret', extra: 'me' }),
    )
    expect(message).toMatch(/title is the number 5 .*channels is a string .*extra is not a field/)
    expect(message).not.toContain('my secret')
  })
})

describe('a value that fits', () => {
  it('may leave out what has a default, and may hold undefined', async () => {
    const { eventId, ...value } = sampleNotification
    const bytes = await push.encode({ ...value, expiresAt: undefined, unused: undefined })
    expect(await push.decode(bytes)).toMatchObject({ ...value, eventId: null, expiresAt: null })
  })
})

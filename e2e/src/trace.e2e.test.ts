import { randomUUID } from 'node:crypto'
import { createMomentFormat } from '@dropbell/cli/trace/format-moment'
import { productInventoryTopic } from '@dropbell/schemas/topics'
import type { Step, Trace, Way } from '@dropbell/trace/trace'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { middayZone } from './midday-zone.ts'
import { openTraceShop, priceChange } from './trace-shop.ts'
import { openTraceWorld, type TraceWorld } from './trace-world.ts'

let world: TraceWorld
let shop: Awaited<ReturnType<typeof openTraceShop>>
const zone = middayZone()
const happened = { first: '', second: '', slight: '', coat: '', lastTrifle: '', dead: randomUUID() }

beforeAll(async () => {
  world = await openTraceWorld()
  shop = await openTraceShop(world.engines.elasticsearch.client, world.engines.postgres.client)
  const { told, fan, deadToken, tooLate } = shop.users
  await world.engines.postgres.client.query('INSERT INTO user_info (user_id, timezone) SELECT unnest($1::text[]), $2', [
    [told, fan, deadToken, tooLate],
    zone,
  ])
  await world.fcm.script({ do: 'refuse', code: 'UNREGISTERED' }, shop.deadToken)
  const { sneakers, coat, lamp } = shop.products
  const first = priceChange(sneakers, 100, 80)
  const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000
  // The price has risen again before anybody comes to tell of the drop.
  const stale = [priceChange(coat, 100, 70, minutesAgo(10)), priceChange(coat, 70, 100, minutesAgo(9))]
  await world.publish([first, ...stale])
  await world.publishRaw([{ key: lamp, value: 'no event', headers: { 'dropbell-event-id': happened.dead } }])
  await untilEnding(['--event', first.eventId, '--user', shop.users.told], 'SENT')
  const second = priceChange(sneakers, 80, 60)
  const slight = priceChange(sneakers, 60, 59)
  await world.publish([second, slight])
  const [eleventh, ...ten] = shop.trifles.map((trifle) => priceChange(trifle, 10, 5))
  await world.publish(ten)
  for (const { eventId } of ten) await untilEnding(['--event', eventId, '--user', shop.users.fan], 'SENT')
  await world.publish([eleventh as (typeof ten)[number]])
  Object.assign(happened, {
    first: first.eventId,
    second: second.eventId,
    slight: slight.eventId,
    coat: stale[0]?.eventId,
    lastTrifle: eleventh?.eventId,
  })
})
afterAll(() => world?.close())

const trace = async (...args: string[]): Promise<Trace> => {
  const { code, stdout, stderr } = await world.dropbell('trace', ...args, '--json')
  expect([0, 4], stderr).toContain(code)
  return JSON.parse(stdout)
}

const wayOf = async (...args: string[]): Promise<Way> => {
  const { ways } = await trace(...args)
  expect(ways).toHaveLength(1)
  return ways[0] as Way
}

const untilEnding = (args: string[], status: Way['ending']['status']): Promise<Way> =>
  vi.waitFor(
    async () => {
      const way = await wayOf(...args)
      expect(way).toMatchObject({ ending: { status } })
      return way
    },
    { timeout: 60_000, interval: 300 },
  )

const stepsOf = <Kind extends Step['kind']>(way: Way, kind: Kind): Extract<Step, { kind: Kind }>[] =>
  way.steps.filter((step): step is Extract<Step, { kind: Kind }> => step.kind === kind)

const kindsOf = ({ steps }: Way): string[] => steps.map(({ kind }) => kind)

describe('dropbell trace', () => {
  it('tells the whole way of one that was sent', async () => {
    const { told } = shop.users
    const way = await untilEnding(['--event', happened.first, '--user', told], 'SENT')
    const whole = ['received', 'detected', 'targeted', 'admitted', 'published', 'planned']
    expect(kindsOf(way).slice(0, 6)).toEqual(whole)
    expect(way.unknown).toEqual([])
    expect(stepsOf(way, 'received')).toMatchObject([
      { place: { topic: productInventoryTopic.name }, eventType: 'PRICE_CHANGE', change: 'price 100 → 80' },
    ])
    expect(stepsOf(way, 'targeted')).toMatchObject([{ behaviour: { actionType: 'VIEW' }, days: 30 }])
    expect(stepsOf(way, 'admitted')).toMatchObject([{ countOfDay: 1 }])
    expect(stepsOf(way, 'published')).toMatchObject([{ place: { topic: 'notification.push.v1' } }])
    const push = stepsOf(way, 'attempted').filter(({ channel }) => channel === 'PUSH')
    expect(push).toMatchObject([{ target: `phone-${told}`, attempt: 1, code: null, latencyMs: expect.any(Number) }])

    const byId = await wayOf('--notification', way.notificationId as string)
    expect(byId).toEqual(way)
    const { code, stdout } = await world.dropbell('trace', '--notification', way.notificationId as string)
    expect(code).toBe(0)
    const offset = createMomentFormat(zone)(Date.now()).slice(-6).replace('+', '\\+')
    expect(stdout).toMatch(
      new RegExp(`^ {2}\\d{4}-\\d\\d-\\d\\dT[\\d:.]+${offset} {2}targeted +a target by VIEW at `, 'm'),
    )
    expect(stdout).not.toContain('token-')
  })

  it('names the event of which another was a duplicate', async () => {
    const way = await untilEnding(['--event', happened.second, '--user', shop.users.told], 'RATE_LIMITED')
    expect(way.ending.reason).toBe('DUPLICATE')
    expect(stepsOf(way, 'refused')).toMatchObject([{ reason: 'duplicate', blockingEventId: happened.first }])
    expect(kindsOf(way)).toEqual(['received', 'detected', 'targeted', 'refused', 'outcome'])
    expect(way.unknown).toEqual([])
  })

  it('counts the day of the eleventh', async () => {
    const way = await untilEnding(['--event', happened.lastTrifle, '--user', shop.users.fan], 'RATE_LIMITED')
    expect(stepsOf(way, 'refused')).toMatchObject([{ reason: 'daily-limit', dayCount: 10 }])
    const { ways, user } = await trace('--user', shop.users.fan)
    expect(ways).toHaveLength(11)
    expect(user?.today.count).toBe(10)
  })

  it('says who opted out', async () => {
    const way = await untilEnding(['--event', happened.first, '--user', shop.users.optedOut], 'USER_OPTED_OUT')
    expect(stepsOf(way, 'refused')).toMatchObject([{ reason: 'opted-out' }])
    expect((await trace('--user', shop.users.optedOut)).user?.optedOut).toEqual(['PRICE_DROP'])
  })

  it('says until when one is deferred', async () => {
    const way = await untilEnding(['--event', happened.first, '--user', shop.users.asleep], 'DEFERRED')
    const [deferred] = stepsOf(way, 'deferred')
    expect(deferred).toMatchObject({ channel: 'PUSH', code: 'QUIET_HOURS' })
    expect((deferred?.until ?? 0) - Date.now()).toBeGreaterThan(3_600_000)
  })

  it('says why one is stale', async () => {
    const way = await untilEnding(['--event', happened.coat, '--user', shop.users.tooLate], 'STALE')
    expect(way.ending.reason).toBe('PRICE_ROSE')
    expect(stepsOf(way, 'withheld').map(({ channel, code }) => [channel, code])).toContainEqual(['PUSH', 'PRICE_ROSE'])
    const { product } = await trace('--user', shop.users.tooLate, '--product', shop.products.coat)
    expect(product?.now.price?.value).toBe(100)
  })

  it('shows the dead token by its device', async () => {
    const way = await untilEnding(['--event', happened.first, '--user', shop.users.deadToken], 'FAILED')
    const device = `phone-${shop.users.deadToken}`
    expect(stepsOf(way, 'attempted')).toContainEqual(expect.objectContaining({ target: device, code: 'UNREGISTERED' }))
    expect(stepsOf(way, 'device-invalid')).toMatchObject([{ target: device, reason: 'UNREGISTERED' }])
  })

  it('finds a dead-lettered event, and why it is one', async () => {
    const { event, found } = await trace('--event', happened.dead)
    expect(found).toBe(true)
    expect(event?.ending.status).toBe('DEAD_LETTERED')
    expect(event?.steps).toMatchObject([
      { kind: 'received', change: expect.stringContaining('unreadable') },
      {
        kind: 'dead-lettered',
        place: { topic: 'product.inventory.v1.dlq' },
        group: 'notification-consumer-group',
        origin: expect.stringMatching(/^product\.inventory\.v1 \d:\d+$/),
        reason: expect.stringContaining('.'),
      },
    ])
  })

  it('says why somebody never was a target, and of which events', async () => {
    const { stranger } = shop.users
    const { ways } = await trace('--user', stranger, '--product', shop.products.sneakers)
    expect(ways.map(({ eventId, ending }) => [eventId, ending.status])).toEqual([
      [happened.slight, 'IGNORED'],
      [happened.second, 'NOT_A_TARGET'],
      [happened.first, 'NOT_A_TARGET'],
    ])
    const [, drop] = ways as [Way, Way]
    expect(kindsOf(drop)).toEqual(['received', 'detected', 'not-targeted'])
    expect(stepsOf(drop, 'not-targeted')).toMatchObject([{ days: 30, nearest: { actionType: 'VIEW' } }])
    expect(drop.unknown).toEqual([])
  })

  it('counts what became of an event, and shows the first users', async () => {
    const { event, ways } = await trace('--event', happened.first, '--limit', '2')
    expect(event?.outcomes).toEqual(
      expect.arrayContaining([
        { status: 'SENT', reason: null, count: 1 },
        { status: 'USER_OPTED_OUT', reason: 'OPTED_OUT', count: 1 },
        { status: 'DEFERRED', reason: 'QUIET_HOURS', count: 1 },
        { status: 'FAILED', reason: 'UNREGISTERED', count: 1 },
      ]),
    )
    expect(ways).toHaveLength(2)
    expect((await trace('--event', happened.slight)).event).toMatchObject({
      ending: { status: 'IGNORED', reason: 'drop-below-threshold' },
      outcomes: [],
    })
  })

  it('answers with what is left when engines are down, and says what is not', async () => {
    const args = ['--event', happened.first, '--user', shop.users.told]
    await world.stack.engine('redis').stop()
    await world.stack.engine('elasticsearch').stop()
    const partial = await trace(...args)
    const states = Object.fromEntries(partial.sources.map(({ source, state }) => [source, state]))
    expect(states).toMatchObject({
      history: 'unavailable',
      redis: 'unavailable',
      kafka: 'answered',
      ledger: 'answered',
    })
    const [way] = partial.ways as [Way]
    expect(way.ending.status).toBe('SENT')
    expect(way.unknown).toMatchObject([
      { what: 'audience', why: 'source-unavailable' },
      { what: 'slot', why: 'source-unavailable' },
    ])
    await world.stack.engine('redis').start()
    await world.stack.engine('elasticsearch').start()
  })
})

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDlqWorld, type DlqWorld, type FailedRecord, type WrittenRecord } from '../testing/dlq-world.ts'

vi.setConfig({ testTimeout: 180_000 })

const total = 10_000
const reasons = ['REDIS_UNAVAILABLE', 'MAGIC_BYTE', 'POSTGRES_UNAVAILABLE', 'NO_HANDLER', 'TOO_LONG'] as const
const [wanted] = reasons
const selected = total / reasons.length

let world: DlqWorld
let origin: string
let dlq: string
let records: FailedRecord[]

beforeAll(async () => {
  world = await createDlqWorld()
  const topics = await world.createTopics(6)
  origin = topics.origin
  dlq = topics.dlq
  records = Array.from({ length: total }, (_, n) => ({
    partition: n % 6,
    offset: Math.floor(n / 6),
    key: n % 50 === 0 ? null : Buffer.from(`product-${n % 97}`),
    // Bytes that are no text, and some that are nothing.
    value: n % 200 === 0 ? null : Buffer.from([0, 255, n & 255, (n >> 8) & 255, 0x80]),
    headers: { 'dropbell-event-id': `event-${n}`, binary: Buffer.from([0xff, 0, n & 255]), twice: ['one', `two ${n}`] },
    reason: reasons[n % reasons.length] as string,
  }))
  await world.sendDeadLetters(origin, records)
})
afterAll(() => world?.close())

const eventOf = ({ headers = {} }: { headers?: FailedRecord['headers'] }): string =>
  String(headers['dropbell-event-id'])

const fingerprint = ({ key, value, partition }: Pick<WrittenRecord, 'key' | 'value' | 'partition'>): string =>
  `${partition} ${key?.toString('hex') ?? 'null'} ${value?.toString('hex') ?? 'null'}`

/** By the times at which they were written, a batch at a time. */
const mostWithinASecond = (written: readonly WrittenRecord[]): number => {
  const times = written.map(({ timestamp }) => Number(timestamp)).sort((one, other) => one - other)
  return Math.max(...times.map((begin) => times.filter((time) => time >= begin && time < begin + 1_000).length))
}

interface NotedRun {
  state: string
  counts: { replayed: number }
  options: { reason?: string[]; since?: string }
}

/** The newest over these. */
const runOf = async (reason: string): Promise<NotedRun> => {
  const { runs } = (await world.ask('dlq', 'runs', dlq)).answer as { runs: NotedRun[] }
  return runs.find(({ options }) => options.reason?.includes(reason)) as NotedRun
}

const untilReplaying = (reason: string): Promise<void> =>
  vi.waitFor(async () => expect((await runOf(reason))?.counts.replayed).toBeGreaterThan(0), { timeout: 60_000 })

/** What it says to go on with. */
const commandIn = (stdout: string): string[] =>
  /go on where it stopped with:\n {2}dropbell (.+)$/m.exec(stdout)?.[1]?.split(' ') ?? []

describe('10,000 dead letters of 5 reasons over 6 partitions', () => {
  it('are counted by reason and key before anything is written', async () => {
    const { code, answer } = await world.ask('dlq', 'replay', dlq, '--reason', wanted)
    expect(code).toBe(0)
    expect(answer).toMatchObject({ dryRun: true, selected, doneBefore: 0, planned: { replayed: selected } })
    expect(answer.reasons).toEqual([{ value: `PermanentError.${wanted}`, count: selected }])
    expect(answer.targets).toEqual([{ value: origin, count: selected }])
    expect(answer.keys).toHaveLength(10)
    expect((await world.ask('dlq', 'runs', dlq)).answer.runs).toEqual([])
  })

  it('arrive once each though the run is killed half-way and another goes on, with bytes and headers as they were', async () => {
    const rate = 400
    // It would take 20 seconds: whenever the signal comes, it is in the middle.
    const { child, result } = world.spawn('dlq', 'replay', dlq, '--reason', wanted, '--rate', '100', '--yes')
    const doneSoFar = async (): Promise<number> =>
      (await world.ask('dlq', 'runs', dlq)).answer.runs[0]?.counts.replayed ?? 0
    await vi.waitFor(async () => expect(await doneSoFar()).toBeGreaterThan(100), { timeout: 60_000, interval: 10 })
    child.kill('SIGKILL')
    expect((await result).signal).toBe('SIGKILL')
    const before = await doneSoFar()
    expect(before).toBeLessThan(selected)

    const second = await world.ask(
      'dlq',
      'replay',
      dlq,
      '--reason',
      wanted,
      '--rate',
      String(rate),
      '--yes',
      '--as',
      'bea',
    )
    expect(second.code).toBe(0)
    expect(second.answer.counts.replayed + second.answer.doneBefore).toBe(selected)
    expect(second.answer.doneBefore).toBeGreaterThanOrEqual(before)

    const arrived = await world.readCommitted(origin, selected)
    expect(mostWithinASecond(arrived)).toBeLessThanOrEqual(rate + rate / 4)
    const expected = records.filter(({ reason }) => reason === wanted)
    expect(arrived.map(eventOf).sort()).toEqual(expected.map(eventOf).sort())
    const sent = new Map(expected.map((record) => [eventOf(record), record]))
    for (const record of arrived) {
      const original = sent.get(eventOf(record)) as FailedRecord
      expect(fingerprint(record)).toBe(fingerprint(original))
      expect(Object.keys(record.headers ?? {})).toEqual([
        'dropbell-event-id',
        'binary',
        'twice',
        'dropbell-replay-count',
      ])
      expect(record.headers?.binary).toEqual(original.headers?.binary)
      expect([record.headers?.twice].flat().map(String)).toEqual(original.headers?.twice)
      expect(String(record.headers?.['dropbell-replay-count'])).toBe('1')
    }
  })

  it('keep the order of each partition', async () => {
    const arrived = await world.readCommitted(origin, selected)
    for (let partition = 0; partition < 6; partition++) {
      const events = arrived
        .filter((record) => record.partition === partition)
        .map((record) => Number(eventOf(record).slice(6)))
      expect(events).toEqual(events.toSorted((one, other) => one - other))
    }
  })

  it('of another reason are not hidden by what was done', async () => {
    const { answer } = await world.ask('dlq', 'replay', dlq)
    expect(answer).toMatchObject({ selected: total - selected, doneBefore: selected })
    const again = await world.ask('dlq', 'replay', dlq, '--reason', wanted, '--again')
    expect(again.answer).toMatchObject({ selected, doneBefore: 0 })
  })

  it('stop at Ctrl-C between two transactions and say where they stand', async () => {
    const args = ['dlq', 'replay', dlq, '--reason', 'MAGIC_BYTE', '--since', '1d', '--rate', '100', '--yes']
    const { child, result } = world.spawn(...args)
    await untilReplaying('MAGIC_BYTE')
    child.kill('SIGINT')
    const { code, stdout } = await result
    expect(code).toBe(130)
    const stopped = await runOf('MAGIC_BYTE')
    expect(stopped.state).toBe('interrupted')
    expect(stdout).toContain(`Stopped after ${stopped.counts.replayed} of 2,000`)
    const goOn = commandIn(stdout)
    // The same records as then, however late it is.
    expect(goOn).toEqual([
      'dlq',
      'replay',
      dlq,
      '--since',
      stopped.options.since,
      ...args.slice(3, 5),
      ...args.slice(7),
    ])
    const rest = await world.ask(...goOn.filter((word) => word !== '--yes'))
    expect(rest.answer.doneBefore).toBe(stopped.counts.replayed)
    expect(rest.answer.selected + rest.answer.doneBefore).toBe(selected)
  })

  it('have runs that tell who did what', async () => {
    const { runs } = (await world.ask('dlq', 'runs', dlq)).answer
    expect(runs.map(({ state }: { state: string }) => state)).toEqual(['interrupted', 'finished', 'running'])
    expect(runs[1]).toMatchObject({
      by: 'bea',
      command: 'replay',
      topic: dlq,
      options: { rate: 400, reason: [wanted] },
    })
    const { stdout } = await world.run('dlq', 'runs')
    expect(stdout).toMatch(/bea .*finished/)
    expect(stdout).toContain('not ended, last heard of')
  })

  it('arrive once each though Kafka goes away in the middle, which is said', async () => {
    const args = ['dlq', 'replay', dlq, '--reason', 'NO_HANDLER']
    const replaying = world.run(...args, '--rate', '100', '--yes')
    await untilReplaying('NO_HANDLER')
    await world.stack.engine('kafka').kill()
    const { code, stdout, stderr } = await replaying
    expect(code).toBe(3)
    expect(stderr).toContain('Kafka is not reachable at')
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(stdout).toMatch(/^Failed after [\d,]+ of 2,000/)
    await world.stack.engine('kafka').start()
    const rest = await world.ask(...args, '--yes')
    expect(rest.code).toBe(0)
    expect(rest.answer.counts.replayed + rest.answer.doneBefore).toBe(selected)
    const arrived = (await world.readCommitted(origin, selected)).map(eventOf)
    const expected = records.filter(({ reason }) => reason === 'NO_HANDLER').map(eventOf)
    const isExpected = new Set(expected)
    expect(arrived.filter((event) => isExpected.has(event)).sort()).toEqual(expected.sort())
  })
})

import { openJournal } from '@dropbell/dead-letters/journal'
import { createCodec } from '@dropbell/schemas/codec'
import { registerSchemas } from '@dropbell/schemas/register'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { sampleInventoryEvent } from '@dropbell/schemas/testing/sample-values'
import { notificationPushTopic, productInventoryTopic } from '@dropbell/schemas/topics'
import { closedPort } from '@dropbell/shared/testing/tcp-peer'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDlqWorld, type DlqWorld, type FailedRecord } from '../testing/dlq-world.ts'

vi.setConfig({ testTimeout: 120_000 })

let world: DlqWorld

beforeAll(async () => {
  world = await createDlqWorld()
})
afterAll(() => world?.close())

/** Recent enough for the brokers to keep them. */
const hoursAgo = (hours: number): number => Math.floor(Date.now() / 1_000) * 1_000 - hours * 3_600_000

const failed = (offset: number, said: Partial<FailedRecord> = {}): FailedRecord => ({
  partition: 0,
  offset,
  key: Buffer.from(`key-${offset}`),
  value: Buffer.from(`value ${offset}`),
  reason: 'MAGIC_BYTE',
  ...said,
})

/** A topic of dead letters with these. */
const withLetters = async (records: FailedRecord[], partitions = 2) => {
  const topics = await world.createTopics(partitions)
  await world.sendDeadLetters(topics.origin, records)
  return topics
}

const placesIn = (answer: { letters: { place: string }[] }): string[] => answer.letters.map(({ place }) => place).sort()

describe('dlq list', () => {
  it('selects by reason, key, group, partition and time', async () => {
    const [first, second, third, fourth] = [5, 4, 3, 2].map(hoursAgo) as [number, number, number, number]
    const { dlq } = await withLetters([
      failed(0, { timestamp: first }),
      failed(1, { timestamp: second, reason: 'REDIS_UNAVAILABLE' }),
      failed(2, { timestamp: third, key: null }),
      failed(3, { timestamp: fourth, partition: 1, key: Buffer.from([0, 1]) }),
    ])
    const places = async (...args: string[]) => placesIn((await world.ask('dlq', 'list', dlq, ...args)).answer)
    const at = (ms: number): string => new Date(ms).toISOString()
    expect(await places()).toEqual(['0:0', '0:1', '0:2', '1:0'])
    expect(await places('--reason', 'REDIS_UNAVAILABLE')).toEqual(['0:1'])
    expect(await places('--reason', 'PermanentError.MAGIC_BYTE', '--reason', 'REDIS_UNAVAILABLE')).toHaveLength(4)
    expect(await places('--reason', 'UNAVAILABLE')).toEqual([])
    expect(await places('--key', 'key-0', '--key', 'null', '--key', '0x0001')).toEqual(['0:0', '0:2', '1:0'])
    expect(await places('--group', 'shop-group')).toHaveLength(4)
    expect(await places('--group', 'others')).toEqual([])
    expect(await places('--partition', '1')).toEqual(['1:0'])
    expect(await places('--since', at(second), '--until', at(fourth))).toEqual(['0:1', '0:2'])
    expect(await places('--since', '1h')).toEqual([])
  })

  it('shows the newest first and says how many more there are', async () => {
    const { dlq } = await withLetters([1, 2, 3].map((n) => failed(n, { timestamp: hoursAgo(9 - n) })))
    const { code, stdout } = await world.run('dlq', 'list', dlq, '--limit', '2')
    expect(code).toBe(0)
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['PLACE', '0:2', '0:1', '', 'The', ''])
    expect(stdout).toContain('The newest 2 of 3; --limit shows more, 0 all.')
  })

  it('prints all as they come, as one document', async () => {
    const { dlq } = await withLetters([failed(1), failed(2), failed(3, { partition: 1 })])
    const { answer } = await world.ask('dlq', 'list', dlq, '--limit', '0')
    expect(answer).toMatchObject({ topic: dlq, selected: 3, done: 0 })
    expect(placesIn(answer)).toEqual(['0:0', '0:1', '1:0'])
  })

  it('reads the dead letters of Spring Kafka as they are', async () => {
    const { dlq, origin } = await world.createTopics(1)
    const long = Buffer.alloc(8)
    long.writeBigInt64BE(7n)
    await world.send(dlq, [
      {
        key: 'order-1',
        value: '{"id":1}',
        headers: {
          'kafka_dlt-original-topic': [origin, origin],
          'kafka_dlt-original-partition': Buffer.from([0, 0, 0, 0]),
          'kafka_dlt-original-offset': long,
          'kafka_dlt-original-timestamp-type': 'CreateTime',
          'kafka_dlt-original-consumer-group': 'orders',
          'kafka_dlt-exception-fqcn': 'org.springframework.kafka.listener.ListenerExecutionFailedException',
          'kafka_dlt-exception-cause-fqcn': 'java.lang.IllegalStateException',
          'kafka_dlt-exception-message': 'Listener failed \u001b[31m; \nat once',
          __TypeId__: 'com.shop.Order',
        },
      },
      { key: null, value: 'of whom nobody knows anything' },
    ])
    const { answer } = await world.ask('dlq', 'list', dlq)
    expect(answer.letters.map(({ reason }: { reason: string }) => reason)).toEqual(
      expect.arrayContaining(['java.lang.IllegalStateException', 'unknown']),
    )
    const { stdout } = await world.run('dlq', 'list', dlq)
    // Nothing in a record paints the terminal.
    expect(stdout).not.toContain('\u001b')

    const { code, answer: result } = await world.ask('dlq', 'replay', dlq, '--yes')
    expect(code).toBe(1)
    expect(result).toMatchObject({ counts: { replayed: 1 }, left: { 'no-origin': 1 } })
    const [replayed] = await world.readCommitted(origin, 1)
    expect(Object.keys(replayed?.headers ?? {})).toEqual(['__TypeId__', 'dropbell-replay-count'])
    expect(String(replayed?.value)).toBe('{"id":1}')
  })

  it('shows how each was dealt with, if all are asked for', async () => {
    const { dlq } = await withLetters([failed(1), failed(2, { replayCount: 3 }), failed(3), failed(4)])
    await world.ask('dlq', 'replay', dlq, '0:0', '0:1', '--yes', '--as', 'ann')
    await world.ask('dlq', 'dismiss', dlq, '0:2', '--yes', '--as', 'bea')
    expect(placesIn((await world.ask('dlq', 'list', dlq)).answer)).toEqual(['0:3'])
    const { stdout } = await world.run('dlq', 'list', dlq, '--all')
    const rowOf = (place: string): string => stdout.split('\n').find((row) => row.startsWith(`${place} `)) ?? ''
    expect(rowOf('0:0')).toMatch(/ replayed by ann, run \S+/)
    expect(rowOf('0:1')).toMatch(/ quarantined by ann, run \S+/)
    expect(rowOf('0:2')).toMatch(/ dismissed by bea, run \S+/)
    expect(rowOf('0:3')).not.toMatch(/ by (ann|bea)/)
  })

  it('prints JSON that does nothing to a terminal', async () => {
    const { dlq, origin } = await world.createTopics(1)
    await world.send(dlq, [
      {
        key: 'k',
        value: 'v',
        headers: { 'kafka_dlt-original-topic': origin, 'kafka_dlt-exception-fqcn': 'a\u202eb\u009b' },
      },
    ])
    for (const limit of ['0', '5']) {
      const { stdout } = await world.run('dlq', 'list', dlq, '--limit', limit, '--json')
      for (const control of ['\u202e', '\u009b']) expect(stdout).not.toContain(control)
      expect(JSON.parse(stdout).letters[0].reason).toBe('a\u202eb\u009b')
    }
  })

  it('says that an empty one is empty', async () => {
    const { dlq } = await world.createTopics(2)
    for (const command of ['list', 'replay', 'dismiss']) {
      const { code, stdout } = await world.run('dlq', command, dlq)
      expect(code).toBe(0)
      expect(stdout).toMatch(/holds nothing|Nothing in .* is selected/)
    }
  })
})

describe('dlq topics', () => {
  it('shows what waits, since when and why, until it is dealt with', async () => {
    const [oldest, newest] = [hoursAgo(5), hoursAgo(1)]
    const { dlq } = await withLetters([
      failed(1, { timestamp: oldest }),
      failed(2, { timestamp: newest }),
      failed(3, { timestamp: hoursAgo(3), reason: 'REDIS_UNAVAILABLE' }),
    ])
    const find = async () =>
      (await world.ask('dlq', 'topics')).answer.topics.find(({ topic }: { topic: string }) => topic === dlq)
    expect(await find()).toEqual({
      topic: dlq,
      waiting: 3,
      done: 0,
      oldest,
      newest,
      reasons: [
        { value: 'PermanentError.MAGIC_BYTE', count: 2 },
        { value: 'PermanentError.REDIS_UNAVAILABLE', count: 1 },
      ],
    })
    expect((await world.run('dlq', 'topics')).stdout).toMatch(
      new RegExp(`^${dlq} +3 +\\d{4}-\\S+ \\S+Z +\\d{4}-\\S+ \\S+Z +PermanentError.MAGIC_BYTE 2, `, 'm'),
    )
    await world.ask('dlq', 'dismiss', dlq, '--yes')
    expect(await find()).toMatchObject({ waiting: 0, done: 3 })
    expect((await world.run('dlq', 'topics')).stdout).not.toContain(dlq)
  })
})

describe('dlq show', () => {
  it('decodes payload and headers and shows the stack and where it came from', async () => {
    const registry = createRegistryClient({ url: world.env.SCHEMA_REGISTRY_URL as string })
    await registerSchemas(registry)
    const value = await createCodec({ topic: productInventoryTopic, registry }).encode(sampleInventoryEvent)
    const { dlq, origin } = await withLetters([failed(41, { value, headers: { raw: Buffer.from([0xff, 0xfe]) } })])
    const { answer } = await world.ask('dlq', 'show', dlq, '0:0')
    expect(answer).toMatchObject({
      topic: dlq,
      place: '0:0',
      origin: { topic: origin, partition: 0, offset: '41' },
      originTimestamp: 1_700_000_000_000,
      attempts: 4,
      payload: { kind: 'avro', name: expect.stringContaining('ProductInventoryEvent') },
    })
    expect(answer.payload.value).toEqual(sampleInventoryEvent)
    expect(answer.headers).toContainEqual({ name: 'raw', value: '0xfffe' })
    expect(answer.headers).toContainEqual({ name: 'kafka_dlt-original-offset', value: '41' })
    const { stdout } = await world.run('dlq', 'show', dlq, '0:0')
    expect(stdout).toContain(`${origin} 0:41`)
    expect(stdout).toContain('"productId"')
    expect(stdout).toMatch(/^ {4}at .*dlq-world/m)
  })

  it('shows bytes where they cannot be decoded, and why', async () => {
    const { dlq } = await withLetters([
      failed(1),
      failed(2, { value: null }),
      failed(3, { value: Buffer.from([0, 0, 0, 99, 9, 1]) }),
    ])
    const show = async (place: string, ...args: string[]) =>
      (await world.run('dlq', 'show', dlq, place, ...args)).stdout
    expect(await show('0:0')).toContain('76 61 6c 75 65 20 31')
    expect(await show('0:1')).toContain('none (a tombstone)')
    expect(await show('0:2')).toContain('the registry has no schema')
    expect(await show('0:2', '--registry', `http://127.0.0.1:${await closedPort()}`)).toContain(
      'the registry cannot be asked',
    )
  })

  it('ends with 1 where there is no record', async () => {
    const { dlq } = await withLetters([failed(1)])
    const { code, stderr } = await world.run('dlq', 'show', dlq, '0:7')
    expect(code).toBe(1)
    expect(stderr).toContain(`There is no record at 0:7 of ${dlq}`)
    expect(stderr).toContain('partition 0 holds 0 up to 0')
  })
})

describe('dlq replay', () => {
  it('puts back exact picks, and each once however often it is asked', async () => {
    const { dlq, origin } = await withLetters([failed(1), failed(2), failed(3, { partition: 1 })])
    expect((await world.ask('dlq', 'replay', dlq, '0:1', '1:0', '--yes')).answer.counts.replayed).toBe(2)
    const second = await world.ask('dlq', 'replay', dlq, '0:1', '1:0', '--yes')
    expect(second).toMatchObject({ code: 0, answer: { run: null, selected: 0, doneBefore: 2 } })
    const keys = (await world.readCommitted(origin, 2)).map(({ key }) => String(key)).sort()
    expect(keys).toEqual(['key-2', 'key-3'])
    await world.ask('dlq', 'replay', dlq, '0:1', '--yes', '--again')
    expect(await world.readCommitted(origin, 3)).toHaveLength(3)
  })

  it('writes to another topic, where the key chooses the partition', async () => {
    const { dlq, origin } = await withLetters([failed(1)])
    const other = await world.createTopic(`${origin}-other`, 1)
    expect((await world.ask('dlq', 'replay', dlq, '--to', other, '--yes')).answer.counts.replayed).toBe(1)
    expect(await world.readCommitted(other, 1)).toHaveLength(1)
    expect(await world.readCommitted(origin, 0)).toEqual([])
  })

  it('moves a record that keeps coming back to the quarantine, with everything that is known of it', async () => {
    const { dlq, origin } = await world.createTopics(2)
    for (let replayCount = 0; replayCount <= 3; replayCount++) {
      // It fails again each time, and comes back with the count it was given.
      await world.sendDeadLetters(origin, [
        failed(replayCount, { partition: 1, key: Buffer.from('loop'), replayCount }),
      ])
      const { answer } = await world.ask('dlq', 'replay', dlq, '--yes')
      expect(answer.counts).toEqual(
        replayCount < 3 ? { replayed: 1, quarantined: 0, dismissed: 0 } : { replayed: 0, quarantined: 1, dismissed: 0 },
      )
    }
    const { answer } = await world.ask('dlq', 'topics')
    expect(answer.topics.find(({ topic }: { topic: string }) => topic === `${dlq}.quarantine`)).toMatchObject({
      waiting: 1,
    })
    const counts = (await world.readCommitted(origin, 3)).map(({ headers }) =>
      String(headers?.['dropbell-replay-count']),
    )
    expect(counts).toEqual(['1', '2', '3'])
    const [quarantined, ...others] = await world.readCommitted(`${dlq}.quarantine`, 1)
    expect(others).toEqual([])
    expect(quarantined).toMatchObject({ partition: 1, key: Buffer.from('loop') })
    expect(String(quarantined?.headers?.['kafka_dlt-original-topic'])).toBe(origin)
    expect(String(quarantined?.headers?.['dropbell-replay-count'])).toBe('3')
    // From there it goes back only for somebody who insists.
    const held = await world.ask('dlq', 'replay', `${dlq}.quarantine`, '--yes')
    expect(held).toMatchObject({ code: 1, answer: { left: { 'past-max-replays': 1 }, run: null } })
    const insisted = await world.ask('dlq', 'replay', `${dlq}.quarantine`, '--max-replays', '4', '--yes')
    expect(insisted.answer.counts.replayed).toBe(1)
  })

  it('leaves what its topic does not take, says where it is, and puts back the others', async () => {
    const { dlq, origin } = await world.createTopics(2, { 'max.message.bytes': '2000' })
    // Together they are too large for it too.
    const records = Array.from({ length: 30 }, (_, n) => failed(n, { partition: n % 2, value: Buffer.alloc(150, n) }))
    records[14] = failed(14, { value: Buffer.alloc(5_000, 14) })
    await world.sendDeadLetters(origin, records)
    const { code, answer } = await world.ask('dlq', 'replay', dlq, '--yes')
    expect(code).toBe(1)
    expect(answer).toMatchObject({
      state: 'finished',
      counts: { replayed: 29 },
      tooLarge: { count: 1, places: ['0:7'] },
    })
    const keys = (await world.readCommitted(origin, 29)).map(({ key }) => String(key))
    expect(keys.sort()).toEqual(records.flatMap(({ key }, n) => (n === 14 ? [] : [String(key)])).sort())
    const again = await world.run('dlq', 'replay', dlq, '--yes')
    expect(again.code).toBe(1)
    expect(again.stdout).toContain('1 is too large for its topic and was left: 0:7')
    expect(await world.readCommitted(origin, 29)).toHaveLength(29)
  })

  it('says which of the picks are not there, and puts back the others', async () => {
    const { dlq } = await withLetters([failed(1), failed(2)])
    const dry = await world.run('dlq', 'replay', dlq, '0:1', '0:7', '9:999')
    expect(dry.code).toBe(1)
    for (const place of ['0:7', '9:999']) expect(dry.stdout).toContain(`There is no record at ${place}`)
    expect(dry.stdout).not.toContain('no record at 0:1')
    const { code, answer } = await world.ask('dlq', 'replay', dlq, '0:1', '0:7', '9:999', '--yes')
    expect(code).toBe(1)
    expect(answer).toMatchObject({ counts: { replayed: 1 }, missing: ['0:7', '9:999'] })
  })

  it('names the command that does what the dry run shows, with the times that were meant', async () => {
    const { dlq, origin } = await withLetters([
      failed(1, { timestamp: hoursAgo(3) }),
      failed(2, { timestamp: hoursAgo(1) }),
    ])
    const before = Date.now()
    const { stdout } = await world.run('dlq', 'replay', dlq, '--since', '2h', '--reason', 'MAGIC_BYTE')
    const [, line = ''] = /^ {2}dropbell (dlq replay .*)$/m.exec(stdout) ?? []
    const since = Date.parse(/--since (\S+)/.exec(line)?.[1] ?? '')
    expect(since).toBeGreaterThanOrEqual(before - 2 * 3_600_000)
    expect(since).toBeLessThanOrEqual(Date.now() - 2 * 3_600_000)
    expect(line).toMatch(/ --reason MAGIC_BYTE --yes$/)
    const { code, stderr } = await world.run(...line.split(' '))
    expect(code).toBe(0)
    // For whoever has to go on after it was killed.
    expect(stderr).toContain(`dropbell ${line}`)
    expect((await world.readCommitted(origin, 1)).map(({ key }) => String(key))).toEqual(['key-2'])
  })

  it('writes nothing if one of the targets does not exist or is not for events', async () => {
    const { dlq } = await world.createTopics(1)
    const to = (topic: string, offset: number) => ({
      key: 'k',
      value: `v${offset}`,
      headers: { 'kafka_dlt-original-topic': topic },
    })
    await world.send(dlq, [to(dlq.replace('.dlq', ''), 1), to('gone.v1', 2)])
    const missing = await world.run('dlq', 'replay', dlq, '--yes')
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain('gone.v1, which does not exist')
    await world.send(dlq, [to('__consumer_offsets', 3)])
    const refused = await world.run('dlq', 'replay', dlq, '0:2', '--yes')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Nothing is replayed to __consumer_offsets')
    await world.send(dlq, [to(`${dlq}.quarantine`, 4)])
    const quarantine = await world.run('dlq', 'replay', dlq, '0:3', '--yes')
    expect(quarantine.code).toBe(1)
    expect(quarantine.stderr).toContain('because a header says so')
    expect(await world.readCommitted(dlq.replace('.dlq', ''), 0)).toEqual([])
  })

  it('does not take marks for a topic that was deleted and created again', async () => {
    const { dlq, origin } = await withLetters([failed(1, { timestamp: hoursAgo(2) })], 1)
    await world.ask('dlq', 'dismiss', dlq, '--yes')
    await world.admin.deleteTopics({ topics: [dlq] })
    await vi.waitFor(async () => expect(await world.admin.listTopics()).not.toContain(dlq), { timeout: 20_000 })
    await world.createTopic(dlq, 1)
    await world.sendDeadLetters(origin, [failed(1, { timestamp: hoursAgo(1) })])
    expect((await world.ask('dlq', 'list', dlq)).answer).toMatchObject({ selected: 1, done: 0 })
  })
})

describe('a run that does not end in good order', () => {
  it('leaves a transaction that nobody sees, and the next run ends it', async () => {
    const { dlq, origin } = await withLetters([failed(1), failed(2)])
    const killed = world.kafka.producer({ transactionalId: `dropbell-dlq-${dlq}`, transactionTimeout: 60_000 })
    await killed.connect()
    const transaction = await killed.transaction()
    const mark = { version: 1, action: 'replayed', by: 'x', at: '', run: 'x', target: origin, timestamp: 0 }
    await transaction.send({ topic: origin, messages: [{ partition: 0, key: 'key-1', value: 'value 1' }] })
    await transaction.send({
      topic: 'dropbell.dlq-state.v1',
      messages: [{ key: `${dlq}/0/0`, value: JSON.stringify(mark) }],
    })
    // As good as killed: it neither commits nor aborts.
    await killed.disconnect()

    const startedAt = performance.now()
    const { answer } = await world.ask('dlq', 'replay', dlq, '--yes')
    expect(answer.counts.replayed).toBe(2)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    const keys = (await world.readCommitted(origin, 2)).map(({ key }) => String(key)).sort()
    expect(keys).toEqual(['key-1', 'key-2'])
  })

  it('hides nothing that was done with other topics', async () => {
    const { dlq, origin } = await withLetters([failed(1)])
    const elsewhere = world.kafka.producer({ transactionalId: 'dropbell-dlq-elsewhere.dlq', transactionTimeout: 5_000 })
    await elsewhere.connect()
    const transaction = await elsewhere.transaction()
    await transaction.send({ topic: 'dropbell.dlq-state.v1', messages: [{ key: 'elsewhere.dlq/0/0', value: '{}' }] })
    // Behind the open transaction, and invisible as long as that is open.
    const first = await world.ask('dlq', 'replay', dlq, '--yes')
    const second = await world.ask('dlq', 'replay', dlq, '--yes')
    await elsewhere.disconnect()
    expect(first.answer.counts.replayed + second.answer.counts.replayed).toBe(1)
    expect(await world.readCommitted(origin, 1)).toHaveLength(1)
  })

  it('ends with 1 and a clear word when somebody else takes over, who goes on where it was', async () => {
    const records = Array.from({ length: 100 }, (_, n) => failed(n))
    const { dlq, origin } = await withLetters(records)
    const first = world.run('dlq', 'replay', dlq, '--rate', '8', '--yes', '--as', 'ann')
    const runs = async () => (await world.ask('dlq', 'runs', dlq)).answer.runs
    await vi.waitFor(async () => expect((await runs())[0]?.counts.replayed).toBeGreaterThan(0), { timeout: 30_000 })
    const second = await world.ask('dlq', 'replay', dlq, '--yes', '--as', 'bea')
    const { code, stdout, stderr } = await first
    expect(code).toBe(1)
    expect(stderr).toContain(`Somebody else works on ${dlq} now`)
    expect(stdout).toMatch(/^Failed after \d+ of 100/)
    expect(second).toMatchObject({ code: 0 })
    expect(second.answer.counts.replayed + second.answer.doneBefore).toBe(100)
    const keys = (await world.readCommitted(origin, 100)).map(({ key }) => String(key))
    expect(new Set(keys).size).toBe(100)
    expect(keys).toHaveLength(100)
  })

  it('refuses the writes of whoever had the journal before', async () => {
    const { dlq } = await world.createTopics(1)
    const run = {
      version: 1,
      id: 'r',
      command: 'dismiss',
      topic: dlq,
      options: {},
      by: 'x',
      begunAt: '',
      updatedAt: '',
      state: 'running',
      selected: 0,
      counts: { replayed: 0, quarantined: 0, dismissed: 0 },
    } as const
    const older = await openJournal(world.kafka, dlq)
    await older.commit({ records: [], marks: [], run })
    const newer = await openJournal(world.kafka, dlq)
    await expect(older.commit({ records: [], marks: [], run })).rejects.toMatchObject({ code: 'DLQ_RUN_TAKEN_OVER' })
    await newer.commit({ records: [], marks: [], run })
    await Promise.all([older.close(), newer.close()])
  })
})

describe('dlq dismiss', () => {
  it('marks what is selected, after a dry run, and deletes nothing', async () => {
    const { dlq, origin } = await withLetters([failed(1), failed(2, { reason: 'REDIS_UNAVAILABLE' })])
    const dry = await world.run('dlq', 'dismiss', dlq, '--reason', 'MAGIC_BYTE')
    expect(dry.stdout).toContain('1  to be dismissed')
    expect(dry.stdout).toContain(
      `Nothing was written. This does it:\n  dropbell dlq dismiss ${dlq} --reason MAGIC_BYTE --yes`,
    )
    await world.ask('dlq', 'dismiss', dlq, '--reason', 'MAGIC_BYTE', '--yes', '--as', 'ann')
    expect(placesIn((await world.ask('dlq', 'list', dlq)).answer)).toEqual(['0:1'])
    const { answer } = await world.ask('dlq', 'list', dlq, '--all')
    expect(answer.letters.find(({ place }: { place: string }) => place === '0:0').done).toMatchObject({
      action: 'dismissed',
      by: 'ann',
    })
    expect(await world.readCommitted(origin, 0)).toEqual([])
  })
})

describe('a wrong topic', () => {
  it.each(['list', 'replay', 'dismiss'])('ends `dlq %s` with 2 and names those there are', async (command) => {
    const { dlq, origin } = await world.createTopics(1)
    const missing = await world.run('dlq', command, `${notificationPushTopic.name}.dlq`)
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain(`There is no topic ${notificationPushTopic.name}.dlq`)
    expect(missing.stderr).toContain('.dlq')
    const none = await world.run('dlq', command, origin)
    expect(none.code).toBe(2)
    expect(none.stderr).toContain(`${origin} is no topic of dead letters: their names end with .dlq (DLQ_TOPIC_SUFFIX)`)
    expect(dlq).toContain('.dlq')
  })
})

it('says that there are no runs of a topic that is not there', async () => {
  const { dlq } = await world.createTopics(1)
  expect((await world.ask('dlq', 'runs', dlq)).answer.runs).toEqual([])
  const { code, stderr } = await world.run('dlq', 'runs', dlq.replace('shop', 'shpo'))
  expect(code).toBe(2)
  expect(stderr).toContain('There is no topic shpo')
})

it.each(['topics', 'list x.dlq', 'show x.dlq 0:0', 'replay x.dlq --yes', 'dismiss x.dlq', 'runs'])(
  'ends `dlq %s` with 3 when Kafka is down',
  async (command) => {
    const brokers = `127.0.0.1:${await closedPort()}`
    const { code, stdout, stderr } = await world.run('dlq', ...command.split(' '), '--brokers', brokers)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(`Kafka is not reachable at ${brokers}`)
  },
)

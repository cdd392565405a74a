import type { Kafka } from 'kafkajs'
import { expect, test } from 'vitest'
import { startRegistry } from './start-registry.ts'
import { brokers, call, freshTopic, register, startOn, testKafka } from './testing/registry-under-test.ts'

const createTopic = async (kafka: Kafka, topic: string, numPartitions: number, cleanupPolicy: string) => {
  const admin = kafka.admin()
  await admin.connect()
  const configEntries = [{ name: 'cleanup.policy', value: cleanupPolicy }]
  await admin.createTopics({ topics: [{ topic, numPartitions, configEntries }], waitForLeaders: true })
  await admin.disconnect()
}

const write = async (kafka: Kafka, topic: string, messages: { key: string; value: string | null }[]) => {
  const producer = kafka.producer({ allowAutoTopicCreation: false })
  await producer.connect()
  await producer.send({ topic, messages })
  await producer.disconnect()
}

const readAll = async (kafka: Kafka, topic: string, count: number) => {
  const consumer = kafka.consumer({ groupId: `read-${topic}` })
  const seen: [string | undefined, string | undefined][] = []
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await new Promise<void>((resolve, reject) => {
    const eachMessage = async ({ message }: { message: { key: Buffer | null; value: Buffer | null } }) => {
      seen.push([message.key?.toString(), message.value?.toString()])
      if (seen.length === count) resolve()
    }
    consumer.run({ autoCommit: false, eachMessage }).catch(reject)
  })
  await consumer.disconnect()
  return seen
}

test('takes over a topic that a Confluent registry wrote', async () => {
  const topic = freshTopic()
  const kafka = testKafka()
  await createTopic(kafka, topic, 1, 'compact')
  const order = (...fields: string[]) =>
    JSON.stringify({ type: 'record', name: 'Order', fields: fields.map((name) => ({ name, type: 'int', default: 0 })) })
  const schema = (subject: string, version: number, id: number, text: string, deleted = false) => ({
    key: `{"keytype":"SCHEMA","subject":"${subject}","version":${version},"magic":1}`,
    value: JSON.stringify({ subject, version, id, schema: text, deleted }),
  })
  await write(kafka, topic, [
    { key: '{"keytype":"NOOP","magic":0}', value: null },
    { key: '{"keytype":"CONFIG","subject":null,"magic":0}', value: '{"compatibilityLevel":"FULL"}' },
    schema('orders-value', 1, 1, order('a')),
    schema('orders-value', 2, 2, order('a', 'b')),
    schema('orders-value', 3, 5, order('a', 'b', 'c')),
    schema('orders-value', 2, 2, order('a', 'b'), true),
    { key: '{"keytype":"CONFIG","subject":"orders-value","magic":0}', value: '{"compatibilityLevel":"FORWARD"}' },
    { key: '{"keytype":"MODE","subject":null,"magic":0}', value: '{"mode":"READWRITE"}' },
    schema('old-value', 1, 1, order('a')),
    schema('old-value', 2, 6, '"int"'),
    {
      key: '{"keytype":"DELETE_SUBJECT","subject":"old-value","magic":0}',
      value: '{"subject":"old-value","version":2}',
    },
    schema('gone-value', 1, 7, '"long"'),
    { key: '{"keytype":"SCHEMA","subject":"gone-value","version":1,"magic":1}', value: null },
    schema('newer-value', 1, 8, '"bytes"'),
    { key: 'not a record of a registry', value: 'at all' },
    { key: '{"keytype":"NOOP","magic":0}', value: null },
  ])

  const { url } = await startOn(topic)
  const get = async (path: string) => (await call(url, 'GET', path)).body
  expect(await get('/subjects')).toEqual(['newer-value', 'orders-value'])
  expect(await get('/subjects?deleted=true')).toEqual(['newer-value', 'old-value', 'orders-value'])
  expect(await get('/subjects/orders-value/versions')).toEqual([1, 3])
  expect(await get('/subjects/orders-value/versions?deleted=true')).toEqual([1, 2, 3])
  expect(await get('/subjects/old-value/versions?deleted=true')).toEqual([1, 2])
  expect(await get('/schemas/ids/6')).toEqual({ schema: '"int"' })
  expect((await get('/schemas/ids/7')).error_code).toBe(40403)
  expect(await get('/config')).toEqual({ compatibilityLevel: 'FULL' })
  expect(await get('/config/orders-value')).toEqual({ compatibilityLevel: 'FORWARD' })
  expect((await register(url, 'orders-value', JSON.parse(order('a', 'b', 'c')))).body).toEqual({ id: 5 })
  expect((await register(url, 'more-value', 'string')).body).toEqual({ id: 9 })
})

test('writes what a Confluent registry would have written', async () => {
  const topic = freshTopic()
  const { url } = await startOn(topic)
  await register(url, 's', 'int')
  await call(url, 'PUT', '/config', { compatibility: 'NONE' })
  await call(url, 'PUT', '/config/s', { compatibility: 'BACKWARD' })
  await register(url, 's', 'long')
  await call(url, 'DELETE', '/subjects/s/versions/1')
  await call(url, 'DELETE', '/subjects/s/versions/1?permanent=true')
  await call(url, 'DELETE', '/subjects/s')

  const [noop, ...records] = await readAll(testKafka(), topic, 9)
  const key = (version: number) => `{"keytype":"SCHEMA","subject":"s","version":${version},"magic":1}`
  expect(noop).toEqual(['{"keytype":"NOOP","magic":0}', undefined])
  expect(records).toEqual([
    [key(1), '{"subject":"s","version":1,"id":1,"schema":"\\"int\\"","deleted":false}'],
    ['{"keytype":"CONFIG","subject":null,"magic":0}', '{"compatibilityLevel":"NONE"}'],
    ['{"keytype":"CONFIG","subject":"s","magic":0}', '{"compatibilityLevel":"BACKWARD"}'],
    [key(2), '{"subject":"s","version":2,"id":2,"schema":"\\"long\\"","deleted":false}'],
    [key(1), '{"subject":"s","version":1,"id":1,"schema":"\\"int\\"","deleted":true}'],
    [key(1), undefined],
    ['{"keytype":"DELETE_SUBJECT","subject":"s","magic":0}', '{"subject":"s","version":2}'],
    ['{"keytype":"CONFIG","subject":"s","magic":0}', undefined],
  ])
})

test('makes its topic compacted, with one partition', async () => {
  const topic = freshTopic()
  await startOn(topic)
  const admin = testKafka().admin()
  await admin.connect()
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
  const { resources } = await admin.describeConfigs({ resources: [{ type: 2, name: topic }], includeSynonyms: false })
  await admin.disconnect()
  expect(topics[0]?.partitions).toHaveLength(1)
  const policy = resources[0]?.configEntries.find(({ configName }) => configName === 'cleanup.policy')
  expect(policy?.configValue).toBe('compact')
})

test.each([
  ['several partitions', 2, 'compact', /one partition/],
  ['a policy that deletes', 1, 'delete', /cleanup\.policy=compact/],
])('refuses to start on a topic with %s', async (_what, partitions, policy, words) => {
  const topic = freshTopic()
  const kafka = testKafka()
  await createTopic(kafka, topic, partitions, policy)
  await expect(startRegistry({ brokers: brokers(), host: '127.0.0.1', port: 0, topic })).rejects.toThrow(words)
})

test('two registries on one topic see each other and never share an id', async () => {
  const topic = freshTopic()
  const [one, two] = await Promise.all([startOn(topic), startOn(topic)])
  const times = Array.from({ length: 30 }, (_, i) => i)
  const answers = await Promise.all(
    times.map((i) => register(i % 2 ? one.url : two.url, `s${i}`, { type: 'record', name: `R${i}`, fields: [] })),
  )
  const granted = answers.filter(({ status }) => status === 200).map(({ body }) => body.id)
  expect(new Set(granted).size).toBe(granted.length)
  expect(answers.filter(({ status, body }) => status !== 200 && body.error_code !== 50001)).toEqual([])
  await register(one.url, 'last', 'int')
  expect((await register(two.url, 'last', 'int')).body).toEqual((await register(one.url, 'last', 'int')).body)
  const subjects = async (url: string) => (await call(url, 'GET', '/subjects')).body
  expect(await subjects(two.url)).toEqual(await subjects(one.url))
  expect(await subjects(one.url)).toHaveLength(granted.length + 1)
})

import { createCodec } from '@dropbell/schemas/codec'
import { type Contract, newestVersion } from '@dropbell/schemas/contract'
import type { SchemaRegistry } from '@dropbell/schemas/schema-registry'
import { notificationPushTopic, productInventoryTopic, type Topic } from '@dropbell/schemas/topics'
import { HEADER_BYTES } from '@dropbell/schemas/wire-format'
import avro from 'avsc'
import type { Bench, Sample } from './bench.ts'
import { type Contest, compareSpeed } from './compare-speed.ts'
import { sampleInventoryEvents, sampleNotifications } from './sample-events.ts'

/** As many as a page of users or a small fetch has. */
const BATCH = 100
const VERSION_1_HEADER = Buffer.from([0, 0, 0, 0, 1])

export const codecBench: Bench = {
  name: 'codec',
  compares:
    'our codec (header, checks, results per record) with bare avsc (toBuffer without a header, fromBuffer behind it)',
  expected: { encode: { atLeast: 0.9 }, decode: { atLeast: 0.9 } },
  async start() {
    const notifications = await contestsOf(notificationPushTopic, sampleNotifications(BATCH))
    const inventory = await contestsOf(productInventoryTopic, sampleInventoryEvents(BATCH))
    const contests = {
      ...notifications,
      encodeInventory: inventory.encode,
      decodeInventory: inventory.decode,
    }
    return { round: () => measure(contests), async stop() {} }
  },
}

async function contestsOf<T extends object>(topic: Topic<T>, values: readonly T[]) {
  const codec = createCodec({ topic, registry: registryOf(topic.contract) })
  const type = avro.Type.forSchema(newestVersion(topic.contract).schema as avro.Schema)
  const oldType = avro.Type.forSchema(topic.contract.versions[0]?.schema as avro.Schema)
  const resolver = type.createResolver(oldType)
  const wire = await codec.encodeBatch(values)
  const oldWire = values.map((value) => Buffer.concat([VERSION_1_HEADER, oldType.toBuffer(value)]))

  const bareEncode = () => values.map((value) => type.toBuffer(value))
  const bareDecode = () => wire.map((bytes) => type.fromBuffer(bytes.subarray(HEADER_BYTES)))
  const bareDecodeOld = () => oldWire.map((bytes) => type.fromBuffer(bytes.subarray(HEADER_BYTES), resolver))
  const encodeOneByOne = async () => {
    for (const value of values) await codec.encode(value)
  }
  const decodeOneByOne = async () => {
    for (const bytes of wire) await codec.decode(bytes)
  }
  const operations = values.length
  return {
    encode: { bare: bareEncode, ours: () => codec.encodeBatch(values), operations },
    decode: { bare: bareDecode, ours: () => codec.decodeBatch(wire), operations },
    decodeVersion1: { bare: bareDecodeOld, ours: () => codec.decodeBatch(oldWire), operations },
    encodeOneByOne: { bare: bareEncode, ours: encodeOneByOne, operations },
    decodeOneByOne: { bare: bareDecode, ours: decodeOneByOne, operations },
  }
}

/** The version is the id: nothing here waits for a network. */
function registryOf<T>(contract: Contract<T>): SchemaRegistry {
  return {
    schemaById: async (id) => JSON.stringify(contract.versions[id - 1]?.schema),
    idOfSchema: async () => newestVersion(contract).version,
  }
}

async function measure(contests: Readonly<Record<string, Contest>>): Promise<Sample> {
  const ratios: Record<string, number> = {}
  const figures: Record<string, number> = {}
  for (const [name, contest] of Object.entries(contests)) {
    const { barePerSecond, oursPerSecond } = await compareSpeed(contest)
    ratios[name] = oursPerSecond / barePerSecond
    figures[`${name}PerSecond`] = oursPerSecond
    figures[`${name}BarePerSecond`] = barePerSecond
  }
  return { ratios, figures }
}

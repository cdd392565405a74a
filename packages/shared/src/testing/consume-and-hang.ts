import process from 'node:process'
import { openKafkaBench } from './kafka-bench.ts'

/** A whole process for consumer.int.test.ts: it takes records, says so, and is killed before it is done with them. */
const [topic = '', groupId = ''] = process.argv.slice(2)
const bench = openKafkaBench(process.env)
await bench
  .consumer({
    topic,
    groupId,
    maxBatchRecords: 2,
    handle: async (records) => {
      process.stdout.write(`${records.map(({ value }) => value).join(' ')}\n`)
      if (records.some(({ value }) => value === 'c')) await new Promise(() => {})
    },
  })
  .start()

import { startIsolatedStack } from '@dropbell/local-stack/isolated-stack'
import { Client } from '@elastic/elasticsearch'
import type { Bench, Sample } from './bench.ts'
import { type HistoryLoop, openHistoryLoop } from './history-loop.ts'
import { type HistoryService, openHistoryService } from './history-service.ts'

const ENGINES = ['kafka', 'schema-registry', 'elasticsearch']
const DOCUMENTS = 30_000
/** Engines that have just started are slow for a while. */
const WARM_UP = 60_000
/** As many partitions as the service works on at once. */
const AT_ONCE = 6

export const historyBench: Bench = {
  name: 'history',
  compares:
    'the whole history-indexer (Kafka, Avro, bulk, offsets) with a bare loop of @elastic/elasticsearch that bulk-indexes ' +
    'the same documents, prepared beforehand, in batches of the same size',
  expected: { raw: { atLeast: 0.8 } },
  async start(say) {
    say('starting the engines')
    const stack = await startIsolatedStack({ engines: ENGINES })
    const env = stack.env() as Record<string, string>
    const client = new Client({ node: env.ELASTICSEARCH_URL as string, requestTimeout: 60_000 })
    let service: HistoryService | undefined
    const stop = async (): Promise<void> => {
      await Promise.allSettled([service?.stop(), client.close()])
      await stack.reset()
    }
    try {
      const loop = await openHistoryLoop(client, 'bench_bare')
      service = await openHistoryService(env, client, 'bench_service')
      say('warming up')
      await loop.measure(WARM_UP, 1)
      await service.measure(WARM_UP)
      const opened = service
      return { round: () => measure(loop, opened), stop }
    } catch (error) {
      await stop()
      throw error
    }
  },
}

/** In mirrored order, so that a machine that slows down slows both. */
async function measure(loop: HistoryLoop, service: HistoryService): Promise<Sample> {
  const before = await loop.measure(DOCUMENTS, 1)
  const servicePerSecond = ((await service.measure(DOCUMENTS)) + (await service.measure(DOCUMENTS))) / 2
  const rawPerSecond = (before + (await loop.measure(DOCUMENTS, 1))) / 2
  const rawSixAtOncePerSecond = await loop.measure(DOCUMENTS, AT_ONCE)
  return {
    ratios: { raw: servicePerSecond / rawPerSecond },
    figures: { servicePerSecond, rawPerSecond, rawSixAtOncePerSecond },
  }
}

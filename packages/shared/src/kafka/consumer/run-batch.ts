import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import { chunksOf } from '../../chunks-of.ts'
import type { Logger } from '../../log.ts'
import type { Origin } from './consumed-record.ts'
import type { ConsumerMetrics } from './consumer-metrics.ts'
import type { OutagePause } from './outage-pause.ts'
import type { SettledChunk } from './settle-chunk.ts'
import type { OwnedWork, Work } from './work.ts'

export interface RunBatchOptions {
  groupId: string
  maxBatchRecords: number
  settle(origin: Origin, messages: readonly KafkaMessage[], work: Work): Promise<SettledChunk>
  pause: OutagePause
  metrics: ConsumerMetrics
  log: Logger
}

/**
 * What one fetch brought of one partition, chunk by chunk. An offset is resolved when its record and all before it are
 * settled, and committed at the end of each chunk. What is left when this returns is fetched again, by this consumer
 * or another.
 *
 * It throws nothing but what kafkajs's own calls threw: that tells kafkajs to join again. Anything else would make it
 * retry the batch in its own way, or give up.
 */
export const runBatch = async (
  { groupId, maxBatchRecords, settle, pause, metrics, log }: RunBatchOptions,
  { batch, resolveOffset, commitOffsetsIfNecessary, uncommittedOffsets }: EachBatchPayload,
  work: OwnedWork,
): Promise<void> => {
  const origin: Origin = { topic: batch.topic, partition: batch.partition }
  for (const messages of chunksOf(batch.messages, maxBatchRecords)) {
    if (work.isInterrupted() || pause.isPaused()) break
    const startedAt = performance.now()
    const chunk = await settle(origin, messages, work)
    const durationMs = performance.now() - startedAt
    const { processed, deadLettered, unsettled, lastOffset, rounds, outages } = chunk
    metrics.settled({ records: messages.length, processed, seconds: durationMs / 1_000 })
    log.info(
      {
        ...origin,
        groupId,
        firstOffset: messages[0]?.offset ?? '',
        lastOffset: messages.at(-1)?.offset ?? '',
        records: messages.length,
        processed,
        deadLettered,
        attempts: rounds,
        durationMs: Math.round(durationMs),
      },
      unsettled === 0 ? 'batch settled' : 'batch interrupted, the rest will be redelivered',
    )
    if (processed > 0) pause.succeeded()
    for (const dependency of outages) pause.begin(dependency)
    // The partition may have gone to another consumer while the group was joined anew; its offsets are no longer ours.
    if (!work.isCurrent()) return
    if (lastOffset !== undefined) {
      resolveOffset(lastOffset)
      // A failed heartbeat makes kafkajs commit by itself, before it joins again.
      if (work.failure() === undefined) await commitOffsetsIfNecessary(uncommittedOffsets())
    }
    if (unsettled > 0) break
  }
  if (work.failure() !== undefined) throw work.failure()
}

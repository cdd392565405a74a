import type { EachBatchPayload, Kafka } from 'kafkajs'
import type { Registry } from 'prom-client'
import { TransientError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Probe } from '../probe.ts'
import { withDeadline } from '../with-deadline.ts'
import { kafkaRetry } from './connect.ts'
import type { Handle } from './consumer/consumed-record.ts'
import { createConsumerMetrics } from './consumer/consumer-metrics.ts'
import type { RetryPolicy } from './consumer/decide-failure.ts'
import { type LookAheadOptions, showAhead } from './consumer/look-ahead.ts'
import { createOutagePause } from './consumer/outage-pause.ts'
import { type RunBatchOptions, runBatch } from './consumer/run-batch.ts'
import { settleChunk } from './consumer/settle-chunk.ts'
import { createWork, type OwnedWork } from './consumer/work.ts'
import type { Publisher } from './publisher.ts'

export interface ConsumerOptions<T> extends LookAheadOptions<T> {
  kafka: Kafka
  groupId: string
  topic: string
  handle: Handle<T>
  /** For dead letters. */
  publisher: Pick<Publisher, 'publish'>
  policy: RetryPolicy
  /** By the names that a TransientError's `dependency` has: whose probe to await before going on after an outage. */
  dependencies: Readonly<Record<string, Probe>>
  registry: Registry
  log: Logger
  /** kafkajs has given up: the process should end, so that its supervisor starts another. */
  onFatal(error: Error): void
  sessionTimeoutMs: number
  /** How long work in hand may take when the consumer stops or its group is rebalanced. */
  drainTimeoutMs: number
  /** Where a group without offsets begins; the default loses nothing. */
  fromBeginning?: boolean
  partitionsConsumedConcurrently?: number
  probeIntervalMs?: number
  /** A handler that makes no progress for so long makes the consumer count as dead. */
  stuckAfterMs?: number
}

export interface Consumer {
  /** Resolves when the consumer has joined its group. */
  start(): Promise<void>
  /** Finishes the work in hand or, if that takes too long, leaves it; leaves the group. Every call is the first. */
  stop(): Promise<void>
  /** For /healthz. */
  isAlive(): boolean
}

// Also how long a stop may have to wait for a fetch that is under way, and a resume for the next one.
const maxWaitTimeInMs = 500
const leaveTimeoutMs = 3_000

export const createConsumer = <T>(options: ConsumerOptions<T>): Consumer => {
  const { kafka, groupId, topic, log, registry, dependencies, sessionTimeoutMs, drainTimeoutMs, onFatal } = options
  const { stuckAfterMs = 300_000, probeIntervalMs = 1_000 } = options
  const heartbeatIntervalMs = Math.round(sessionTimeoutMs / 10)
  const metrics = createConsumerMetrics({ registry, topic, dependencies: Object.keys(dependencies) })
  const works = new Set<OwnedWork>()
  let generation = 0
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  let crashed = false

  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
    maxWaitTimeInMs,
    allowAutoTopicCreation: false,
    // A restart that kafkajs had planned would bring a stopped consumer back.
    retry: { ...kafkaRetry, restartOnFailure: async () => stopped === undefined },
  })
  const pause = createOutagePause({
    ...options,
    metrics,
    probeIntervalMs,
    suspend: () => ifRunning(() => consumer.pause([{ topic }])),
    resume: () => ifRunning(() => consumer.resume([{ topic }])),
  })
  consumer.on(consumer.events.GROUP_JOIN, () => {
    generation++
    // A consumer that kafkajs has restarted does not know that it was paused.
    if (pause.isPaused()) ifRunning(() => consumer.pause([{ topic }]))
  })
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart || stopped !== undefined) return
    crashed = true
    log.fatal({ err: error, groupId, topic }, 'consumer crashed')
    onFatal(error)
  })

  const settleOptions = { ...options, metrics, publish: options.publisher.publish }
  const batchOptions: RunBatchOptions = {
    ...options,
    pause,
    metrics,
    settle: (origin, messages, work) => settleChunk(settleOptions, origin, messages, work),
  }
  const eachBatch = async (payload: EachBatchPayload): Promise<void> => {
    const begunIn = generation
    const work = createWork({
      heartbeat: payload.heartbeat,
      isCurrent: () => generation === begunIn && !payload.isStale(),
      heartbeatIntervalMs,
      drainTimeoutMs,
    })
    works.add(work)
    if (stopped !== undefined) work.interrupt()
    try {
      if (!work.isInterrupted() && !pause.isPaused()) await showAhead(options, payload.batch.messages)
      await runBatch(batchOptions, payload, work)
    } finally {
      work.end()
      works.delete(work)
    }
  }

  const start = async (): Promise<void> => {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: options.fromBeginning ?? true })
    await consumer.run({
      eachBatch,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.partitionsConsumedConcurrently ?? 6,
    })
  }
  const stop = async (): Promise<void> => {
    pause.stop()
    for (const work of works) work.interrupt()
    // kafkajs ignores a stop while it joins, and would go on afterwards.
    const ended = Promise.resolve(started?.catch(() => {})).then(() => consumer.disconnect())
    const late = () => new TransientError('CONSUMER_STOP_TIMEOUT', `the consumer of ${topic} did not stop in time`)
    await withDeadline(ended, drainTimeoutMs + leaveTimeoutMs, late)
  }

  return {
    start: () => {
      started ??= start().catch((cause) => {
        const message = `The consumer of ${topic} could not start`
        throw new TransientError('CONSUMER_START_FAILED', message, { cause, dependency: 'kafka' })
      })
      return started
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
    isAlive: () => !crashed && [...works].every((work) => work.idleMs() < stuckAfterMs),
  }
}

/** Between a crash and a restart kafkajs has nothing to pause; what starts then is told when it joins. */
const ifRunning = (call: () => void): void => {
  try {
    call()
  } catch {
    // Throws only for that.
  }
}

import type { KafkaConfig } from '@dropbell/shared/config/kafka'
import { createKafka, kafkaSettings } from '@dropbell/shared/kafka/connect'
import { createTopicReader, type TopicReader } from '@dropbell/shared/kafka/topic-reader'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { Admin, Kafka } from 'kafkajs'
import type { Session } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { describeKafkaFailure } from './kafka-failure.ts'

export interface KafkaClients {
  readonly client: Kafka
  readonly admin: Admin
  readonly reader: TopicReader
}

export interface WithKafkaOptions {
  /** Whether `work` itself ends in good order after Ctrl-C, once it has begun. */
  readonly endsItself?: boolean
}

/** Long enough for TLS and a login over a slow line, short enough for somebody who waits. */
const answerTimeoutMs = 5_000
const closeTimeoutMs = 1_000
const service = 'dropbell-cli'

/** Lends clients to `work` and closes them whatever happens. Whether Kafka answers is known before `work` begins. */
export const withKafka = async <T>(
  { log, output, signal }: Session,
  config: KafkaConfig,
  work: (clients: KafkaClients) => Promise<T>,
  { endsItself = false }: WithKafkaOptions = {},
): Promise<T> => {
  const kafka = createKafka({ config, log, service, probeTimeoutMs: answerTimeoutMs })
  const { client } = kafka
  const admin = client.admin()
  const reader = createTopicReader(client, kafkaSettings({ config, service }))
  const connect = async (): Promise<void> => {
    // A client on its own would try again for half a minute before it gives up.
    await kafka.probe()
    await admin.connect()
  }
  output.progress(`Connecting to Kafka at ${config.KAFKA_BROKERS.join(', ')} …`)
  try {
    await untilInterrupted(signal, connect())
    const working = work({ client, admin, reader })
    return await (endsItself ? working : untilInterrupted(signal, working))
  } catch (error) {
    throw describeKafkaFailure(error, config.KAFKA_BROKERS)
  } finally {
    await closeInTime(Promise.allSettled([admin.disconnect(), reader.close(), kafka.close()]))
  }
}

/** A connection that never came about takes its whole timeout to close, and nobody waits for that after Ctrl-C. */
const closeInTime = (closing: Promise<unknown>): Promise<unknown> =>
  withDeadline(closing, closeTimeoutMs, () => new Error('Closing took too long')).catch(() => undefined)

import type { KafkaConfig } from '@dropbell/shared/config/kafka'
import { createKafka } from '@dropbell/shared/kafka/connect'
import { withDeadline } from '@dropbell/shared/with-deadline'
import type { Admin } from 'kafkajs'
import type { Session } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { describeKafkaFailure } from './kafka-failure.ts'

/** Long enough for TLS and a login over a slow line, short enough for somebody who waits. */
const answerTimeoutMs = 5_000
const closeTimeoutMs = 1_000

/** Lends an admin client to `work` and closes it whatever happens. Whether Kafka answers is known before `work` begins. */
export const withKafkaAdmin = async <T>(
  { log, output, signal }: Session,
  config: KafkaConfig,
  work: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const kafka = createKafka({ config, log, service: 'dropbell-cli', probeTimeoutMs: answerTimeoutMs })
  const admin = kafka.client.admin()
  const connectAndWork = async (): Promise<T> => {
    // A client on its own would try again for half a minute before it gives up.
    await kafka.probe()
    await admin.connect()
    return work(admin)
  }
  output.progress(`Connecting to Kafka at ${config.KAFKA_BROKERS.join(', ')} …`)
  try {
    return await untilInterrupted(signal, connectAndWork())
  } catch (error) {
    throw describeKafkaFailure(error, config.KAFKA_BROKERS)
  } finally {
    await closeInTime(Promise.allSettled([admin.disconnect(), kafka.close()]))
  }
}

/** A connection that never came about takes its whole timeout to close, and nobody waits for that after Ctrl-C. */
const closeInTime = (closing: Promise<unknown>): Promise<unknown> =>
  withDeadline(closing, closeTimeoutMs, () => new Error('Closing took too long')).catch(() => undefined)

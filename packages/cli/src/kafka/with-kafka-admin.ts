import type { KafkaConfig } from '@dropbell/shared/config/kafka'
import type { Admin } from 'kafkajs'
import type { Session } from '../session.ts'
import { withKafka } from './with-kafka.ts'

/** For what needs no more than an admin client. */
export const withKafkaAdmin = <T>(
  session: Session,
  config: KafkaConfig,
  work: (admin: Admin) => Promise<T>,
): Promise<T> => withKafka(session, config, ({ admin }) => work(admin))

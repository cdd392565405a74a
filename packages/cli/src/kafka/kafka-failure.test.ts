import { TransientError } from '@dropbell/shared/errors'
import kafkajs from 'kafkajs'
import { expect, it } from 'vitest'
import { CliError } from '../cli-error.ts'
import { describeKafkaFailure } from './kafka-failure.ts'

const describeFailure = (error: unknown): CliError => {
  const described = describeKafkaFailure(error, ['kafka-1:9092', 'kafka-2:9092'])
  expect(described).toBeInstanceOf(CliError)
  return described as CliError
}

const protocolError = (type: string): Error =>
  new kafkajs.KafkaJSProtocolError(Object.assign(new Error('Not authorized to access topics'), { type, code: 29 }))

it('says where Kafka was looked for, why it failed and how to start it', () => {
  const cause = new kafkajs.KafkaJSConnectionError('connect ECONNREFUSED 127.0.0.1:9092')
  const failure = describeFailure(new TransientError('KAFKA_UNAVAILABLE', 'Kafka is not available', { cause }))
  expect(failure.exitCode).toBe(3)
  expect(failure.message).toBe(
    'Kafka is not reachable at kafka-1:9092, kafka-2:9092: connect ECONNREFUSED 127.0.0.1:9092',
  )
  expect(failure.hint).toContain('npx pnpm stack up')
})

it('points at the login when that was refused', () => {
  const cause = Reflect.construct(kafkajs.KafkaJSSASLAuthenticationError, ['SASL PLAIN authentication failed'])
  const failure = describeFailure(new TransientError('KAFKA_UNAVAILABLE', 'Kafka is not available', { cause }))
  expect(failure).toMatchObject({ code: 'KAFKA_LOGIN_REFUSED', exitCode: 3 })
  expect(failure.hint).toContain('KAFKA_SASL_PASSWORD')
})

it('points at permissions when access was denied, also to one of several topics', () => {
  const failure = describeFailure(
    new kafkajs.KafkaJSAggregateError('Topic creation errors', [protocolError('TOPIC_AUTHORIZATION_FAILED')]),
  )
  expect(failure).toMatchObject({ code: 'KAFKA_ACCESS_DENIED', exitCode: 3 })
})

it('says what a broker answered instead of that there was none', () => {
  const type = 'NOT_ENOUGH_REPLICAS'
  const answer = new kafkajs.KafkaJSProtocolError(Object.assign(new Error('Too few in sync'), { type, code: 19 }))
  const cause = new kafkajs.KafkaJSNumberOfRetriesExceeded(answer, { retryCount: 8, retryTime: 2_000 })
  const failure = describeFailure(new TransientError('PUBLISH_FAILED', 'Records could not be published', { cause }))
  expect(failure.exitCode).toBe(3)
  expect(failure.message).toContain('answers, but cannot do it now: NOT_ENOUGH_REPLICAS')
  expect(failure.hint).toContain('min.insync.replicas')
})

it('leaves a failure alone that is not about reaching Kafka', () => {
  const error = new TypeError('x is undefined')
  expect(describeKafkaFailure(error, ['kafka:9092'])).toBe(error)
})

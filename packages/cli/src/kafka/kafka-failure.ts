import { TransientError } from '@dropbell/shared/errors'
import kafkajs from 'kafkajs'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'

// kafkajs is CommonJS, and Node finds no named exports for its errors.
const {
  KafkaJSAggregateError,
  KafkaJSBrokerNotFound,
  KafkaJSConnectionError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSProtocolError,
  KafkaJSRequestTimeoutError,
  KafkaJSSASLAuthenticationError,
} = kafkajs

const unreachable = [
  TransientError,
  KafkaJSBrokerNotFound,
  KafkaJSConnectionError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSRequestTimeoutError,
]

const tooFewReplicas =
  'Fewer replicas are in sync than min.insync.replicas of the topic asks for: are all brokers up? Then try again.'

const hintsByType: Readonly<Record<string, string>> = {
  NOT_ENOUGH_REPLICAS: tooFewReplicas,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: tooFewReplicas,
}

/** What a failure of the client means to an operator; any other failure stays as it is. */
export const describeKafkaFailure = (error: unknown, brokers: readonly string[]): unknown => {
  if (error instanceof CliError) return error // It has said already what it means.
  const at = brokers.join(', ')
  const chain = causesOf(error)
  const refusal = chain.find((cause) => cause instanceof KafkaJSSASLAuthenticationError)
  if (refusal !== undefined) {
    return new CliError({
      code: 'KAFKA_LOGIN_REFUSED',
      message: `Kafka at ${at} refused the login: ${refusal.message}`,
      hint: 'Check KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.',
      exitCode: exitCodes.unavailable,
      cause: error,
    })
  }
  const denial = chain.find((cause) => protocolTypeOf(cause)?.endsWith('_AUTHORIZATION_FAILED'))
  if (denial !== undefined) {
    return new CliError({
      code: 'KAFKA_ACCESS_DENIED',
      message: `Kafka at ${at} denies access: ${denial.message}`,
      hint: 'Ask for an ACL for this user, or use another one (KAFKA_SASL_USERNAME).',
      exitCode: exitCodes.unavailable,
      cause: error,
    })
  }
  // What kafkajs makes of every answer to this question, also of a refusal.
  if (chain.some((cause) => cause.name === 'KafkaJSGroupCoordinatorNotFound')) {
    return new CliError({
      code: 'KAFKA_NO_COORDINATOR',
      message: `No broker at ${at} coordinates the transactions of this user.`,
      hint: 'Ask for an ACL that allows Describe and Write on the transactional ids dropbell-dlq-*, or try again if Kafka has just started.',
      exitCode: exitCodes.unavailable,
      cause: error,
    })
  }
  if (!chain.some((cause) => unreachable.some((type) => cause instanceof type))) return error
  const answer = brokerAnswerOf(error)
  if (answer !== undefined) {
    return new CliError({
      code: 'KAFKA_NOT_ABLE',
      message: `Kafka at ${at} answers, but cannot do it now: ${protocolTypeOf(answer)}, ${answer.message}`,
      hint: hintsByType[protocolTypeOf(answer) as string] ?? 'Look at the state of its brokers, and try again.',
      exitCode: exitCodes.unavailable,
      cause: error,
    })
  }
  return new CliError({
    code: 'KAFKA_UNREACHABLE',
    message: `Kafka is not reachable at ${at}: ${chain.at(-1)?.message || 'no answer'}`,
    hint: 'Is it running? `npx pnpm stack up` starts one on this machine; --brokers or KAFKA_BROKERS says where it is.',
    exitCode: exitCodes.unavailable,
    cause: error,
  })
}

/** The name of what a broker answered, e.g. `UNKNOWN_TOPIC_OR_PARTITION`. */
export const protocolTypeOf = (error: unknown): string | undefined =>
  error instanceof KafkaJSProtocolError ? error.type : undefined

/** What a broker said, if one did: then it is not that Kafka could not be reached. */
export const brokerAnswerOf = (error: unknown): Error | undefined =>
  causesOf(error).findLast((cause) => protocolTypeOf(cause) !== undefined)

/** The failure and everything behind it, the innermost last. */
const causesOf = (error: unknown): Error[] => {
  if (!(error instanceof Error)) return []
  const inner = error instanceof KafkaJSAggregateError ? error.errors : [error.cause]
  return [error, ...inner.flatMap(causesOf)]
}

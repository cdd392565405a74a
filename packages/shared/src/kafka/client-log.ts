import { createRequire } from 'node:module'
import { type logCreator, logLevel } from 'kafkajs'
import type { Logger } from '../log.ts'

/**
 * What brokers answer while they start, elect or rebalance. kafkajs reports each of them as an error or warning and
 * then tries again; if that does not help, its caller gets an error that says so.
 */
const retriedTypes = [
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'REBALANCE_IN_PROGRESS',
  'MEMBER_ID_REQUIRED',
]

// A log entry has no error type, only the text that belongs to it. Taken from kafkajs's table so that both agree.
const { errorCodes }: { errorCodes: { type: string; message: string }[] } = createRequire(import.meta.url)(
  'kafkajs/src/protocol/error',
)
const retriedTexts = new Set(errorCodes.filter(({ type }) => retriedTypes.includes(type)).map(({ message }) => message))

/** As in "Failed to send messages: This server is not the leader…"; the report of a crash has a longer prefix. */
const withoutPrefix = (message: string): string => message.slice(message.indexOf(': ') + 1).trim()

/** Said whenever an idempotent producer is made. Ours keeps its promise by being replaced after a failure. */
const answeredWarning = 'Limiting retries for the idempotent producer may invalidate EoS guarantees'

const isNoNews = (message: string, error: unknown): boolean => message === answeredWarning || isRetried(message, error)

const isRetried = (message: string, error: unknown): boolean =>
  [message, withoutPrefix(message), error].some((text) => typeof text === 'string' && retriedTexts.has(text))

const pinoLevels = {
  [logLevel.ERROR]: 'error',
  [logLevel.WARN]: 'warn',
  [logLevel.INFO]: 'info',
  [logLevel.DEBUG]: 'debug',
} as const

/** kafkajs's log through ours: a constant message, its words and values in fields, what it retries at debug. */
export const createKafkaLog =
  (log: Logger, { quiet = false }: { quiet?: boolean } = {}): logCreator =>
  () =>
  ({ namespace, level, log: { message, timestamp: _time, logger: _name, ...values } }) => {
    if (level === logLevel.NOTHING) return
    const pinoLevel = quiet || isNoNews(message, values.error) ? 'debug' : pinoLevels[level]
    log[pinoLevel]({ ...values, namespace, detail: message }, 'kafka client')
  }

/** The least kafkajs has to report for a log of this level. Its debug level costs time even if nothing is written. */
export const kafkaLogLevel = (log: Logger): logLevel => {
  if (log.isLevelEnabled('debug')) return logLevel.DEBUG
  if (log.isLevelEnabled('info')) return logLevel.INFO
  if (log.isLevelEnabled('warn')) return logLevel.WARN
  return log.isLevelEnabled('error') ? logLevel.ERROR : logLevel.NOTHING
}

import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { sensitiveFields } from './log-fields.ts'
import { redactCredentials, redacted } from './redact-credentials.ts'

export type { Logger } from 'pino'

export interface LoggerOptions {
  level: string
  service: string
  /** Standard output if left out; written synchronously, so that the last lines before an exit are not lost. */
  destination?: DestinationStream
}

export const createLogger = ({ level, service, destination = pino.destination(1) }: LoggerOptions): Logger =>
  pino(
    {
      level,
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      redact: { paths: redactedPaths, censor: redacted },
    },
    destination,
  )

const redactedPaths = ['', '*', '*.*'].flatMap((parent) =>
  sensitiveFields.map((field) => {
    const separator = parent === '' || field.startsWith('[') ? '' : '.'
    return `${parent}${separator}${field}`
  }),
)

interface SerializedError {
  type: string
  code?: unknown
  message: string
  stack?: string
  cause?: SerializedError
}

/**
 * Only what helps to find a fault. Errors of client libraries carry whole requests with their headers, and pino's
 * own serializer would write them out.
 */
const serializeError = (error: unknown): SerializedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: redactCredentials(String(error)) }
  return {
    type: error.name,
    ...('code' in error && { code: error.code }),
    message: redactCredentials(error.message),
    ...(error.stack !== undefined && { stack: redactCredentials(error.stack) }),
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  }
}

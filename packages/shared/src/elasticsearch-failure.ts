import { errors, type estypes } from '@elastic/elasticsearch'
import { PermanentError, TransientError } from './errors.ts'

const dependency = 'elasticsearch'
const maxReasonLength = 300

/**
 * What a failed request means for the record it was made for. Permanent is only what the request itself is to blame
 * for; where the cluster or its operator has to act (overload, outage, credentials, an index that is not there), the
 * record is as good as before and waits. What is no error of the client is a fault of ours and stays as it is.
 */
export const classifyElasticsearchError = (error: unknown): unknown => {
  if (error instanceof errors.ResponseError) return ofResponse(error)
  if (isUnanswered(error))
    return new TransientError('ELASTICSEARCH_UNAVAILABLE', words(error), { cause: error, dependency })
  if (error instanceof errors.ElasticsearchClientError) {
    return new PermanentError('ELASTICSEARCH_REFUSED', words(error), { cause: error })
  }
  return error
}

export const missingIndexError = (index: string, cause?: unknown): TransientError =>
  new TransientError('ELASTICSEARCH_INDEX_MISSING', `the index ${index} does not exist`, { cause, dependency })

const isUnanswered = (error: unknown): error is Error =>
  error instanceof errors.ConnectionError ||
  error instanceof errors.TimeoutError ||
  error instanceof errors.NoLivingConnectionsError ||
  error instanceof errors.RequestAbortedError ||
  // An answer that breaks off, or a proxy that answers in the cluster's place.
  error instanceof errors.DeserializationError

/** The same for one item of a bulk request that was answered: its neighbours may have fared better. */
export const classifyBulkItem = ({ status, error, _index }: estypes.BulkResponseItem): Error =>
  ofAnswer({
    ...{ status, type: error?.type, index: _index },
    message: `Elasticsearch refused the document: ${reasonsOf(error)}`,
  })

/** The outermost reason may say no more than that it failed; both may quote the document at length. */
const reasonsOf = (error: estypes.ErrorCause | undefined): string =>
  [error?.reason, error?.caused_by?.reason].flatMap((reason) => reason?.slice(0, maxReasonLength) || []).join(': ') ||
  'it did not say why'

const ofResponse = (error: errors.ResponseError): Error =>
  ofAnswer({
    status: error.statusCode ?? 0,
    type: error.body?.error?.type,
    index: error.body?.error?.index,
    retryAfterMs: parseRetryAfter(error.headers?.['retry-after']),
    message: words(error),
    cause: error,
  })

interface Answer {
  status: number
  type: unknown
  index: unknown
  retryAfterMs?: number | undefined
  message: string
  cause?: unknown
}

const ofAnswer = ({ status, type, index, retryAfterMs, message, cause }: Answer): Error => {
  if (type === 'index_not_found_exception') return missingIndexError(String(index), cause)
  if (status === 429) {
    const options = { cause, dependency, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    return new TransientError('ELASTICSEARCH_OVERLOADED', message, options)
  }
  if (status === 401 || status === 403) {
    return new TransientError('ELASTICSEARCH_FORBIDDEN', message, { cause, dependency })
  }
  if (status >= 500 || status === 408) {
    return new TransientError('ELASTICSEARCH_UNAVAILABLE', message, { cause, dependency })
  }
  // A closed index comes back; an answer without a type is not Elasticsearch's own.
  if (type === 'index_closed_exception' || typeof type !== 'string') {
    return new TransientError('ELASTICSEARCH_UNAVAILABLE', message, { cause, dependency })
  }
  return new PermanentError('ELASTICSEARCH_REFUSED', message, { cause })
}

const words = ({ message }: Error): string => `Elasticsearch did not answer the request: ${message}`

const parseRetryAfter = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Number(header) * 1_000 : undefined

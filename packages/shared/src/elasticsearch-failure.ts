import { errors } from '@elastic/elasticsearch'
import { PermanentError, TransientError } from './errors.ts'

const dependency = 'elasticsearch'

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

const ofResponse = (error: errors.ResponseError): Error => {
  const status = error.statusCode ?? 0
  const type: unknown = error.body?.error?.type
  const cause = error
  if (type === 'index_not_found_exception') return missingIndexError(String(error.body.error.index), cause)
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(error.headers?.['retry-after'])
    const options = { cause, dependency, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    return new TransientError('ELASTICSEARCH_OVERLOADED', words(error), options)
  }
  if (status === 401 || status === 403) {
    return new TransientError('ELASTICSEARCH_FORBIDDEN', words(error), { cause, dependency })
  }
  if (status >= 500 || status === 408) {
    return new TransientError('ELASTICSEARCH_UNAVAILABLE', words(error), { cause, dependency })
  }
  // A closed index comes back; an answer without a type is not Elasticsearch's own.
  if (type === 'index_closed_exception' || typeof type !== 'string') {
    return new TransientError('ELASTICSEARCH_UNAVAILABLE', words(error), { cause, dependency })
  }
  return new PermanentError('ELASTICSEARCH_REFUSED', words(error), { cause })
}

const words = ({ message }: Error): string => `Elasticsearch did not answer the request: ${message}`

const parseRetryAfter = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Number(header) * 1_000 : undefined

import { errors } from '@elastic/elasticsearch'
import { describe, expect, it } from 'vitest'
import { classifyBulkItem, classifyElasticsearchError } from './elasticsearch-failure.ts'
import { PermanentError, TransientError } from './errors.ts'

const response = (statusCode: number, type = 'some_exception', headers = {}) =>
  new errors.ResponseError({
    statusCode,
    headers,
    body: { error: { type, reason: 'because', index: 'an_index' }, status: statusCode },
    warnings: null,
    meta: {} as never,
  })

describe('a failed request to Elasticsearch', () => {
  it.each([
    ['a refused connection', new errors.ConnectionError('connect ECONNREFUSED'), 'ELASTICSEARCH_UNAVAILABLE'],
    ['a timeout', new errors.TimeoutError('Request timed out'), 'ELASTICSEARCH_UNAVAILABLE'],
    ['an answer that breaks off', new errors.DeserializationError('Unexpected end', '{'), 'ELASTICSEARCH_UNAVAILABLE'],
    ['a shard that is not there', response(503), 'ELASTICSEARCH_UNAVAILABLE'],
    ['a fault of the server', response(500), 'ELASTICSEARCH_UNAVAILABLE'],
    ['too many requests', response(429), 'ELASTICSEARCH_OVERLOADED'],
    ['a key that expired', response(401), 'ELASTICSEARCH_FORBIDDEN'],
    ['an index that is not there', response(404, 'index_not_found_exception'), 'ELASTICSEARCH_INDEX_MISSING'],
  ])('may succeed later after %s', (_, error, code) => {
    const classified = classifyElasticsearchError(error)
    expect(classified).toBeInstanceOf(TransientError)
    expect(classified).toMatchObject({ code, dependency: 'elasticsearch', cause: error })
  })

  it('will fail again if the request was wrong', () => {
    const classified = classifyElasticsearchError(response(400, 'parsing_exception'))
    expect(classified).toBeInstanceOf(PermanentError)
    expect(classified).toMatchObject({ code: 'ELASTICSEARCH_REFUSED' })
  })

  it('waits as long as an overloaded cluster asks for', () => {
    expect(classifyElasticsearchError(response(429, undefined, { 'retry-after': '7' }))).toMatchObject({
      retryAfterMs: 7_000,
    })
    expect(classifyElasticsearchError(response(429))).toMatchObject({ retryAfterMs: undefined })
  })

  it('leaves a fault of our own as it is', () => {
    const bug = new TypeError('x is not a function')
    expect(classifyElasticsearchError(bug)).toBe(bug)
  })
})

describe('a failed item of a bulk request', () => {
  const item = (status: number, type: string) => ({ _index: 'an_index', status, error: { type, reason: 'because' } })

  it.each([
    [429, 'es_rejected_execution_exception', 'ELASTICSEARCH_OVERLOADED'],
    [503, 'unavailable_shards_exception', 'ELASTICSEARCH_UNAVAILABLE'],
    [403, 'cluster_block_exception', 'ELASTICSEARCH_FORBIDDEN'],
    [404, 'index_not_found_exception', 'ELASTICSEARCH_INDEX_MISSING'],
    [400, 'index_closed_exception', 'ELASTICSEARCH_UNAVAILABLE'],
  ])('may succeed later after %d %s', (status, type, code) => {
    const classified = classifyBulkItem(item(status, type))
    expect(classified).toBeInstanceOf(TransientError)
    expect(classified).toMatchObject({ code, dependency: 'elasticsearch' })
  })

  it('does not repeat at length what it was about', () => {
    const error = { type: 'document_parsing_exception', reason: `failed: ${'x'.repeat(40_000)}` }
    const { message } = classifyBulkItem({ _index: 'an_index', status: 400, error })
    expect(message).toMatch(/failed: x/)
    expect(message.length).toBeLessThan(1_000)
  })

  it.each(['document_parsing_exception', 'strict_dynamic_mapping_exception', 'illegal_argument_exception'])(
    'will fail again after %s, and says why',
    (type) => {
      const classified = classifyBulkItem(item(400, type))
      expect(classified).toBeInstanceOf(PermanentError)
      expect(classified).toMatchObject({ code: 'ELASTICSEARCH_REFUSED', message: expect.stringContaining('because') })
    },
  )
})

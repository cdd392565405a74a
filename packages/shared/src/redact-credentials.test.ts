import { describe, expect, it } from 'vitest'
import { redactCredentials } from './redact-credentials.ts'

describe('redactCredentials', () => {
  it('hides user and password of a URL and keeps the rest', () => {
    expect(redactCredentials('postgres://bell:s3cret@db:5432/main')).toBe('postgres://[redacted]@db:5432/main')
  })

  it('hides a password which contains the delimiters of a URL', () => {
    expect(redactCredentials('cannot reach redis://:a/b@c@cache:6379 now')).toBe(
      'cannot reach redis://[redacted]@cache:6379 now',
    )
  })

  it('hides secrets in query parameters', () => {
    expect(redactCredentials('https://host/x?user=me&sslpassword=hush&api_key=k1')).toBe(
      'https://host/x?user=me&sslpassword=[redacted]&api_key=[redacted]',
    )
  })

  it('hides them wherever the URL begins', () => {
    expect(redactCredentials('to=5postgres://me:hush@db')).toBe('to=5postgres://[redacted]@db')
  })

  it('has done with a very long word at once', () => {
    const startedAt = performance.now()
    redactCredentials('x'.repeat(300_000))
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  it('leaves a text without credentials as it is', () => {
    const text = 'connect ECONNREFUSED 127.0.0.1:9200 (http://localhost:9200/_cluster)'
    expect(redactCredentials(text)).toBe(text)
  })
})

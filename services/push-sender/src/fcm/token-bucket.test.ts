import { describe, expect, it } from 'vitest'
import { createTokenBucket } from './token-bucket.ts'

describe('a token bucket', () => {
  it('grants a tenth of a second at once, the rest as time goes by', () => {
    let time = 0
    const bucket = createTokenBucket(100, () => time)
    expect(bucket.take(25)).toEqual({ granted: 10, retryAfterMs: 100 })
    expect(bucket.take(1)).toEqual({ granted: 0, retryAfterMs: 10 })
    time += 10
    expect(bucket.take(1)).toEqual({ granted: 1, retryAfterMs: 0 })
  })

  it('does not save up', () => {
    let time = 0
    const bucket = createTokenBucket(100, () => time)
    time += 60_000
    expect(bucket.take(1_000).granted).toBe(10)
  })

  it('grants something however small it is', () => {
    expect(createTokenBucket(1, () => 0).take(1).granted).toBe(1)
  })
})

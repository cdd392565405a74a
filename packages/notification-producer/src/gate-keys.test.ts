import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gateKeys } from './gate-keys.ts'

const keys = gateKeys()

/** As Redis Cluster's specification finds it: between the first brace and the next one after it, unless empty. */
const hashTagOf = (key: string): string => {
  const open = key.indexOf('{')
  const close = key.indexOf('}', open + 1)
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key
}

const id = fc.string({ unit: fc.constantFrom('a', 'b', '{', '}', ':', '%', '7', 'B', 'D', '가'), maxLength: 8 })

describe('gateKeys', () => {
  it('are what operators look for', () => {
    expect(keys.sent('user-1', 'P-1', 'PRICE_DROP')).toBe('dropbell:{user-1}:sent:P-1:PRICE_DROP')
    expect(keys.daily('user-1', '2026-01-15')).toBe('dropbell:{user-1}:daily:2026-01-15')
    expect(gateKeys('other').daily('user-1', '2026-01-15')).toBe('other:{user-1}:daily:2026-01-15')
  })

  it('share a hash tag for each user, whatever the ids contain', () => {
    fc.assert(
      fc.property(id, id, (userId, productId) => {
        const tags = [keys.sent(userId, productId, 'PRICE_DROP'), keys.daily(userId, '2026-01-15')].map(hashTagOf)
        expect(tags[0]).toBe(tags[1])
      }),
    )
  })

  it('are never shared by two users or two products', () => {
    fc.assert(
      fc.property(id, id, id, id, (userA, productA, userB, productB) => {
        const same = userA === userB && productA === productB
        expect(keys.sent(userA, productA, 'PRICE_DROP') === keys.sent(userB, productB, 'PRICE_DROP')).toBe(same)
        expect(keys.daily(userA, '2026-01-15') === keys.daily(userB, '2026-01-15')).toBe(userA === userB)
      }),
    )
  })
})

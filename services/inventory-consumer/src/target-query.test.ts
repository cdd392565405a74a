import { audienceRules } from '@dropbell/offers/audience-rules'
import { describe, expect, it } from 'vitest'
import { groupTriggers, type TargetTrigger, targetQuery } from './target-query.ts'

const trigger = (productId: string, more: Partial<TargetTrigger> = {}): TargetTrigger => ({
  kind: 'price-drop',
  eventId: `of-${productId}`,
  productId,
  timestamp: 1_000,
  ...more,
})

describe('groupTriggers', () => {
  it('puts a batch of different products into one request', () => {
    const batch = [trigger('a'), trigger('b'), trigger('c')]
    expect(groupTriggers(batch)).toEqual([batch])
  })

  it('never asks for one product twice in a request, and keeps the order of its triggers', () => {
    const [first, other, second, third] = [
      trigger('a'),
      trigger('b'),
      trigger('a', { kind: 'restock' }),
      trigger('a', { timestamp: 2_000 }),
    ]
    expect(groupTriggers([first, other, second, third])).toEqual([[first, other], [second], [third]])
  })

  it('bounds the triggers of a request', () => {
    const groups = groupTriggers(Array.from({ length: 450 }, (_, index) => trigger(`product-${index}`)))
    expect(groups.map((group) => group.length)).toEqual([200, 200, 50])
  })

  it('gives a trigger that goes on in its middle a request of its own', () => {
    const resumed = trigger('a', { after: { userId: 'u5', servedUsers: 5 } })
    expect(groupTriggers([resumed, trigger('a'), trigger('b')])).toEqual([[trigger('a'), trigger('b')], [resumed]])
  })

  it('has nothing to ask for an empty batch', () => {
    expect(groupTriggers([])).toEqual([])
  })
})

describe('targetQuery', () => {
  const fields = { productId: 'productId', userId: 'userId', actionType: 'actionType', timestamp: 'timestamp' }
  const rules = audienceRules({ INTERESTED_USER_DAYS: 30, CART_USER_DAYS: 7 })
  const query = (triggers: TargetTrigger[]) =>
    targetQuery({ index: 'behaviors', fields, rules, triggers, pageSize: 10, after: undefined })

  it('looks back from the time of the event, not from now', () => {
    const timestamp = Date.UTC(2026, 0, 31)
    expect(query([trigger('a', { timestamp })]).query.bool.filter.bool.should).toEqual([
      {
        bool: {
          filter: [
            { term: { productId: 'a' } },
            { terms: { actionType: ['VIEW', 'CLICK', 'ADD_TO_CART'] } },
            { range: { timestamp: { gt: Date.UTC(2026, 0, 1), lte: timestamp, format: 'epoch_millis' } } },
          ],
        },
      },
    ])
  })

  it('asks for a restock only who put the product into the cart, in days of its own', () => {
    const timestamp = Date.UTC(2026, 0, 31)
    const [clause] = query([trigger('a', { kind: 'restock', timestamp })]).query.bool.filter.bool.should
    expect(clause?.bool?.filter).toEqual([
      { term: { productId: 'a' } },
      { terms: { actionType: ['ADD_TO_CART'] } },
      { range: { timestamp: { gt: Date.UTC(2026, 0, 24), lte: timestamp, format: 'epoch_millis' } } },
    ])
  })

  it('would rather fail than answer with a part', () => {
    expect(query([trigger('a')])).toMatchObject({ allow_partial_search_results: false, allow_no_indices: false })
  })
})

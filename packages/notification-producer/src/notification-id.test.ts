import fc from 'fast-check'
import { validate, version } from 'uuid'
import { describe, expect, it } from 'vitest'
import { notificationIdOf } from './notification-id.ts'

describe('notificationIdOf', () => {
  it('never changes for an event, a user and a type', () => {
    expect(notificationIdOf({ eventId: 'evt-1', userId: 'user-1', type: 'PRICE_DROP' })).toBe(
      '04ab529a-b605-5660-b3d4-bffeb5b29618',
    )
  })

  it('is a UUID of version 5', () => {
    const id = notificationIdOf({ eventId: '', userId: '', type: 'REMINDER' })
    expect([validate(id), version(id)]).toEqual([true, 5])
  })

  it('differs by event, user and type', () => {
    const origins = [
      { eventId: 'a', userId: 'b', type: 'PRICE_DROP' },
      { eventId: 'b', userId: 'a', type: 'PRICE_DROP' },
      { eventId: 'a', userId: 'b', type: 'BACK_IN_STOCK' },
      { eventId: 'a', userId: 'c', type: 'PRICE_DROP' },
    ] as const
    expect(new Set(origins.map(notificationIdOf)).size).toBe(origins.length)
  })

  it('keeps event and user apart whatever they contain', () => {
    const id = fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', ':', '\0', '가', '\ud800'), maxLength: 6 })
    fc.assert(
      fc.property(id, id, id, id, (eventA, userA, eventB, userB) => {
        const same = eventA === eventB && userA === userB
        const ids = [
          notificationIdOf({ eventId: eventA, userId: userA, type: 'PRICE_DROP' }),
          notificationIdOf({ eventId: eventB, userId: userB, type: 'PRICE_DROP' }),
        ]
        expect(ids[0] === ids[1]).toBe(same)
      }),
    )
  })
})

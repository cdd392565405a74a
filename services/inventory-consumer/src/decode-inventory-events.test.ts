import { inventoryEvent } from '@dropbell/offers/testing/inventory-event'
import { PermanentError } from '@dropbell/shared/errors'
import { expect, it } from 'vitest'
import { createInventoryDecoder } from './decode-inventory-events.ts'

it('refuses an event that names neither itself nor its product, and leaves its neighbours alone', async () => {
  const events = [
    inventoryEvent(),
    inventoryEvent({ eventId: '' }),
    inventoryEvent({ productId: '' }),
    inventoryEvent(),
  ]
  const decode = createInventoryDecoder({
    decodeBatch: async () => events.map((value) => ({ ok: true as const, value })),
  })
  const decoded = await decode(events.map(() => Buffer.alloc(0)))
  expect(decoded.map(({ ok }) => ok)).toEqual([true, false, false, true])
  expect(decoded[1]).toMatchObject({ error: expect.any(PermanentError) })
})

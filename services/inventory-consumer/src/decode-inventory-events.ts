import type { Codec } from '@dropbell/schemas/codec'
import type { ProductInventoryEvent } from '@dropbell/schemas/generated/product-inventory-event'
import { PermanentError } from '@dropbell/shared/errors'
import type { Decode } from '@dropbell/shared/kafka/consumer/consumed-record'

/**
 * What the schema cannot say: an event and its product have names. Without one, two changes would pass for the same
 * event, and the second would go unheard.
 */
export const createInventoryDecoder =
  (codec: Pick<Codec<ProductInventoryEvent>, 'decodeBatch'>): Decode<ProductInventoryEvent> =>
  async (values) =>
    (await codec.decodeBatch(values)).map((decoded) => {
      if (!decoded.ok || (decoded.value.eventId !== '' && decoded.value.productId !== '')) return decoded
      return { ok: false, error: new PermanentError('EVENT_WITHOUT_ID', 'eventId or productId is empty') }
    })

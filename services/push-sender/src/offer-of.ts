import type { Offer } from '@dropbell/offers/judge-offer'
import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { toShortestFloat32 } from '@dropbell/schemas/price'

/** Of what was told some time ago any lack of stock counts, whenever it ran out. */
const soldOutFrom = Number.NEGATIVE_INFINITY

/** What a notification promises, as far as it can become untrue. */
export const offerOf = (notification: NotificationEvent): (Offer & { readonly productId: string }) | undefined => {
  const { notificationType: type, productId, data } = notification
  switch (type) {
    case 'PRICE_DROP':
      return { type, productId, price: priceOf(data.currentPrice), soldOutFrom }
    case 'BACK_IN_STOCK':
      return { type, productId, soldOutFrom }
    default:
      return undefined
  }
}

/** Written by whoever made the notification: as we write it, or as float32 looks in double precision. */
const priceOf = (written: string | undefined): number | undefined => {
  const price = written === undefined || written.trim() === '' ? Number.NaN : Number(written)
  return Number.isFinite(price) ? toShortestFloat32(price) : undefined
}

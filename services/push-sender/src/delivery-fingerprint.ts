import { createHash } from 'node:crypto'

/**
 * Names a delivery to the outside, the same for each of its attempts. A delivery's own id may hold what is not fit for a
 * header, or nobody's business.
 */
export const deliveryFingerprint = (deliveryId: string): string =>
  createHash('sha256').update(deliveryId).digest('hex').slice(0, 32)

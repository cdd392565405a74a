import type { TokenMessage } from 'firebase-admin/messaging'

/** Of what reaches the device. */
export const maxPayloadBytes = 4_096

/** As the push services count it: with APNs the whole JSON, elsewhere keys and values. */
export const payloadBytes = ({ data = {}, android, apns, webpush }: TokenMessage): number =>
  apns
    ? Buffer.byteLength(JSON.stringify({ ...data, ...apns.payload }))
    : [data, android?.notification ?? {}, webpush?.notification ?? {}]
        .flatMap((part) => Object.entries(part))
        .reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0)

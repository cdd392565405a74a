import type { TokenMessage } from 'firebase-admin/messaging'

/** Of what reaches the device. */
export const maxPayloadBytes = 4_096

/** As the push services count it: with APNs the whole JSON, elsewhere keys and values. */
export const payloadBytes = ({ data = {}, android, apns, webpush }: TokenMessage): number =>
  apns
    ? Buffer.byteLength(JSON.stringify({ ...data, ...apns.payload }))
    : entryBytes(data) + entryBytes(android?.notification) + entryBytes(webpush?.notification)

const entryBytes = (part: object = {}): number => {
  let bytes = 0
  for (const [key, value] of Object.entries(part)) bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value))
  return bytes
}

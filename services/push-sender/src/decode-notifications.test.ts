import type { NotificationEvent } from '@dropbell/schemas/generated/notification-event'
import { expect, it } from 'vitest'
import { createNotificationDecoder } from './decode-notifications.ts'
import { sampleNotification } from './testing/sample-outgoing.ts'

const decode = async (said: Partial<NotificationEvent>) => {
  const codec = { decodeBatch: async () => [{ ok: true, value: { ...sampleNotification, ...said } } as const] }
  return (await createNotificationDecoder(codec)([null]))[0]
}

it('has one spelling for the id that the ledger knows a notification by', async () => {
  const notificationId = '0B2F6F7E-8F0A-5C1E-9A53-000000000001'
  expect(await decode({ notificationId })).toMatchObject({
    ok: true,
    value: { notificationId: notificationId.toLowerCase() },
  })
})

it.each([{ notificationId: 'n-1' }, { notificationId: '' }, { userId: '' }])('refuses for good: %o', async (said) => {
  expect(await decode(said)).toMatchObject({
    ok: false,
    error: { code: 'NOTIFICATION_WITHOUT_ID', name: 'PermanentError' },
  })
})

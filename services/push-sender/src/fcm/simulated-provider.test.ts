import { captureLog } from '@dropbell/shared/testing/capture-log'
import { expect, it } from 'vitest'
import { sampleOutgoing } from '../testing/sample-outgoing.ts'
import { createSimulatedFcmProvider } from './simulated-provider.ts'

it('logs what would be sent, and not to whom', async () => {
  const { log, lines } = captureLog('info')
  const outgoing = sampleOutgoing()
  await createSimulatedFcmProvider({ log }).send([outgoing], { deadlineMs: 1_000 })
  const { deliveryId, notification, target } = outgoing
  expect(lines()).toContainEqual(
    expect.objectContaining({ msg: 'push simulated', deliveryId, notificationId: notification.notificationId }),
  )
  expect(JSON.stringify(lines())).not.toContain(target.token)
})

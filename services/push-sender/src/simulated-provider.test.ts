import { channelSymbols } from '@dropbell/schemas/generated/notification-event'
import { captureLog } from '@dropbell/shared/testing/capture-log'
import { expect, it } from 'vitest'
import { createSimulatedProvider } from './simulated-provider.ts'
import { describeProvider } from './testing/provider-contract.ts'
import { sampleOutgoing } from './testing/sample-outgoing.ts'

it.each(channelSymbols)('logs what would be sent over %s, and not to whom', async (channel) => {
  const { log, lines } = captureLog('info')
  const outgoing = sampleOutgoing()
  await createSimulatedProvider({ channel, log }).send([outgoing], { deadlineMs: 1_000 })
  const { deliveryId, notification, target } = outgoing
  const { notificationId } = notification
  expect(lines()).toContainEqual(
    expect.objectContaining({ msg: 'delivery simulated', channel, deliveryId, notificationId }),
  )
  expect(JSON.stringify(lines())).not.toContain(target.address)
})

for (const channel of channelSymbols) {
  describeProvider(`simulated ${channel}`, async () => {
    const provider = createSimulatedProvider({ channel, log: captureLog().log })
    return { provider, close: () => provider.close() }
  })
}

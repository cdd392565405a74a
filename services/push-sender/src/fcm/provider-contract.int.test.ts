import { captureLog } from '@dropbell/shared/testing/capture-log'
import { describeProvider, describeProviderWithPeer } from '../testing/provider-contract.ts'
import { createSimulatedFcmProvider } from './simulated-provider.ts'
import { openFcm } from './testing/open-fcm.ts'

for (const transport of ['http2', 'sdk']) {
  describeProviderWithPeer(transport, async () => {
    const { provider, fcm, close } = openFcm({ env: { FCM_TRANSPORT: transport } })
    return {
      provider,
      receivedBy: async (token) => (await fcm.countsOf(token)).accepted,
      silence: () => fcm.script({ do: 'silence', accepted: true }),
      close,
    }
  })
}

describeProvider('simulated', async () => {
  const provider = createSimulatedFcmProvider({ log: captureLog().log })
  return { provider, close: () => provider.close() }
})

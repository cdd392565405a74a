import { describeProviderWithPeer } from '../testing/provider-contract.ts'
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

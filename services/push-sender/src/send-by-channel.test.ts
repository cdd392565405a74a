import { describe, expect, it } from 'vitest'
import type { HeldDelivery } from './held-delivery.ts'
import type { Provider, Providers } from './provider.ts'
import { sendByChannel } from './send-by-channel.ts'
import { sampleOutgoing } from './testing/sample-outgoing.ts'

const held = (channel: HeldDelivery['key']['channel']): HeldDelivery => {
  const { notification, target } = sampleOutgoing()
  const key = { notificationId: notification.notificationId, channel, targetId: target.id }
  return { key, notification: { ...notification, expiresAt: 2 }, target, recipient: undefined as never, waited: false }
}

const accepting = (channel: Provider['channel'], send: Provider['send']): Provider => ({
  ...{ channel, send },
  reserve: async (wanted) => ({ granted: wanted, retryAfterMs: 0 }),
  close: async () => {},
})

const accept: Provider['send'] = async (messages) =>
  messages.map(() => ({ kind: 'accepted', latencyMs: 1, providerId: null }))

describe('sendByChannel', () => {
  it('takes what a provider throws for an unknown outcome of its own messages, and of no others', async () => {
    const failure = new Error('cannot encode')
    const providers: Providers = {
      PUSH: accepting('PUSH', accept),
      SMS: accepting('SMS', async () => {
        throw failure
      }),
      EMAIL: accepting('EMAIL', accept),
      IN_APP: accepting('IN_APP', accept),
    }
    const sent = await sendByChannel(providers, [held('PUSH'), held('SMS'), held('IN_APP')], { deadlineMs: 1_000 })
    expect(sent.results.map(({ kind }) => kind)).toEqual(['accepted', 'unknown', 'accepted'])
    expect(sent.failures).toEqual([failure])
  })
})

import type { SendResult } from './provider.ts'
import type { Verdict } from './provider-breaker.ts'

/**
 * What a result says about a provider that has one message on a connection. A refusal is a sign of life, unless its code
 * says that the provider is down; that we ran out of time before a message was written may be our own load.
 */
export const verdictBy =
  (saysDown: (refusalCode: string) => boolean) =>
  (result: SendResult): Verdict => {
    switch (result.kind) {
      case 'accepted':
        return 'up'
      case 'refused':
        if (result.latencyMs === 0) return 'neither' // by ourselves: nobody was asked
        return saysDown(result.code) ? 'down' : 'up'
      case 'not-taken':
        return ['CONNECTION_FAILED', 'AUTH_FAILED', 'REGISTRY_UNAVAILABLE'].includes(result.code) ? 'down' : 'neither'
      case 'unknown':
        return result.code === 'ABORTED' ? 'neither' : 'down'
      case 'held-back':
        return 'neither'
    }
  }

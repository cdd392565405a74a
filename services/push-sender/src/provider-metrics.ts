import { createCounter, createHistogram, latencyBuckets } from '@dropbell/shared/metrics'
import type { Registry } from 'prom-client'
import { heldBackCodes, notTakenCodes, unknownCodes } from './channel-transport.ts'
import type { SendResult } from './provider.ts'
import { breakerStates } from './provider-breaker.ts'

const results = ['accepted', 'refused', 'not-taken', 'unknown', 'held-back'] as const satisfies SendResult['kind'][]

/** PUSH has metrics of its own: there is more to see. */
export const measuredChannels = ['SMS', 'EMAIL', 'IN_APP'] as const

export type MeasuredChannel = (typeof measuredChannels)[number]

/** Refusals by their family: a gateway may answer with any number. */
const refusalLabels = [
  'HTTP_3XX',
  'HTTP_4XX',
  'HTTP_429',
  'HTTP_5XX',
  'SMTP_4XX',
  'SMTP_5XX',
  'INVALID_ADDRESS',
  'MESSAGE_TOO_LARGE',
  'RECORD_TOO_LARGE',
  'VALUE_DOES_NOT_FIT',
  'OTHER',
] as const

const failureLabels: readonly string[] = [...refusalLabels, ...notTakenCodes, ...unknownCodes, ...heldBackCodes]

/** What a code is counted as. */
export const failureLabelOf = (code: string): string => {
  if (failureLabels.includes(code)) return code
  const family = code.replace(/^(HTTP|SMTP)_(\d)\d\d$/, '$1_$2XX')
  return failureLabels.includes(family) ? family : 'OTHER'
}

export type ProviderMetrics = ReturnType<typeof createProviderMetrics>

export const createProviderMetrics = (registry: Registry) => ({
  sends: createCounter(registry, {
    name: 'dropbell_provider_sends_total',
    help: 'Messages handed to the provider of a channel, by how that ended.',
    labels: { channel: measuredChannels, result: results },
  }),
  failures: createCounter(registry, {
    name: 'dropbell_provider_failures_total',
    help: 'Messages that the provider of a channel did not accept, by reason.',
    labels: { channel: measuredChannels, code: failureLabels },
  }),
  sendSeconds: createHistogram(registry, {
    name: 'dropbell_provider_send_seconds',
    help: 'From writing a message to the answer of the provider.',
    labels: { channel: measuredChannels },
    buckets: latencyBuckets,
  }),
  breaker: createCounter(registry, {
    name: 'dropbell_provider_breaker_changes_total',
    help: 'Times that the breaker of a channel opened because its provider was down, and closed because it was back.',
    labels: { channel: measuredChannels, state: breakerStates },
  }),
})

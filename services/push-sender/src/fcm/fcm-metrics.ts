import { createCounter, createHistogram, latencyBuckets } from '@dropbell/shared/metrics'
import type { Registry } from 'prom-client'
import type { SendResult } from '../provider.ts'
import { breakerStates } from '../provider-breaker.ts'

import { fcmErrorCodes } from './fcm-errors.ts'
import { heldBackCodes } from './held-back.ts'
import { sessionEvents } from './http2/fcm-session.ts'
import { notTakenCodes, unknownCodes } from './transport.ts'

const results = ['accepted', 'refused', 'not-taken', 'unknown', 'held-back'] as const satisfies SendResult['kind'][]

export type FcmMetrics = ReturnType<typeof createFcmMetrics>

export const createFcmMetrics = (registry: Registry) => ({
  sends: createCounter(registry, {
    name: 'dropbell_fcm_sends_total',
    help: 'Messages handed to FCM, by how that ended.',
    labels: { result: results },
  }),
  failures: createCounter(registry, {
    name: 'dropbell_fcm_failures_total',
    help: 'Messages that FCM did not accept, by reason.',
    labels: { code: [...fcmErrorCodes, ...notTakenCodes, ...unknownCodes, ...heldBackCodes] },
  }),
  sendSeconds: createHistogram(registry, {
    name: 'dropbell_fcm_send_seconds',
    help: 'From writing a message to the answer of FCM.',
    labels: {},
    buckets: latencyBuckets,
  }),
  reserved: createCounter(registry, {
    name: 'dropbell_fcm_reservations_total',
    help: 'Messages that could be sent when it was asked, and those that had to wait, by what for.',
    labels: { kind: ['promotional', 'transactional'], result: ['granted', 'budget', 'pause', 'redis', 'breaker'] },
  }),
  pauses: createCounter(registry, {
    name: 'dropbell_fcm_pauses_total',
    help: 'Times that FCM answered 429 and all instances were told to pause.',
    labels: {},
  }),
  breaker: createCounter(registry, {
    name: 'dropbell_fcm_breaker_changes_total',
    help: 'Times that the breaker opened because FCM was down, and closed because it was back.',
    labels: { state: breakerStates },
  }),
  sessions: createCounter(registry, {
    name: 'dropbell_fcm_sessions_total',
    help: 'HTTP/2 connections to FCM by what happened to them: silent means that a ping was not answered.',
    labels: { event: sessionEvents },
  }),
})

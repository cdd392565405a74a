import { channelSymbols, notificationTypeSymbols } from '@dropbell/schemas/generated/notification-event'
import { outcomeStatusSymbols } from '@dropbell/schemas/generated/notification-outcome'
import { refusalCodes, waitCodes } from '@dropbell/schemas/refusal-codes'
import { createCounter, createHistogram, endToEndBuckets } from '@dropbell/shared/metrics'
import type { Registry } from 'prom-client'

/** One per channel, so that none waits for another's provider, and one for the ledger itself. */
const pollerNames = [...channelSymbols, 'keeper'] as const

export type PollerName = (typeof pollerNames)[number]

export type SenderMetrics = ReturnType<typeof createSenderMetrics>

export const createSenderMetrics = (registry: Registry) => ({
  planned: createCounter(registry, {
    name: 'dropbell_deliveries_planned_total',
    help: 'Deliveries of new notifications: to be sent, left to the poller of their channel, deferred, or refused by reason.',
    labels: { result: ['send', 'begin', 'leave', 'defer', ...refusalCodes] },
  }),
  judged: createCounter(registry, {
    name: 'dropbell_deliveries_judged_total',
    help: 'Deliveries that were about to be sent, by what was found: sent, given back because nobody could judge, refused or deferred by reason.',
    labels: { verdict: ['send', 'give-back', ...refusalCodes, ...waitCodes] },
  }),
  settled: createCounter(registry, {
    name: 'dropbell_delivery_attempts_total',
    help: 'Attempts to deliver, by what the provider made of them.',
    labels: { channel: channelSymbols, result: ['accepted', 'refused', 'unknown', 'not-taken', 'held-back'] },
  }),
  found: createCounter(registry, {
    name: 'dropbell_deliveries_found_total',
    help: 'Deliveries that a poller found: due retries, work of dead instances or left to it, deferred ones whose time has come, attempts nobody settled, expired ones, and those the recovery sweep made due.',
    labels: { reason: ['retry', 'take-over', 'deferred', 'abandoned', 'expired', 'sweep'] },
  }),
  outcomes: createCounter(registry, {
    name: 'dropbell_outcomes_published_total',
    help: 'Outcomes of notifications, each revision counted.',
    labels: { status: outcomeStatusSymbols },
  }),
  polls: createCounter(registry, {
    name: 'dropbell_delivery_polls_total',
    help: 'Rounds of the pollers: one per channel, and the keeper of the ledger.',
    labels: { poller: pollerNames, outcome: ['ok', 'failed'] },
  }),
  eventToProviderSeconds: createHistogram(registry, {
    name: 'dropbell_event_to_provider_seconds',
    help: 'From an event to the moment a provider took its notification.',
    labels: { type: notificationTypeSymbols },
    buckets: endToEndBuckets,
  }),
})

import { DropbellError, TransientError } from '@dropbell/shared/errors'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import type { BehaviourSource } from './sources/behaviour-source.ts'
import type { HistorySource } from './sources/history-source.ts'
import type { LedgerSource } from './sources/ledger-source.ts'
import type { RedisSource } from './sources/redis-source.ts'
import type { TopicSource } from './sources/topic-source.ts'
import type { SourceName, SourceReport } from './trace.ts'

/** Whoever may know something. One that is left out is not configured. */
export interface TraceSources {
  readonly history?: HistorySource | undefined
  readonly ledger?: LedgerSource | undefined
  readonly redis?: RedisSource | undefined
  readonly kafka?: TopicSource | undefined
  readonly behaviours?: BehaviourSource | undefined
}

export const sourceNames = [
  'history',
  'ledger',
  'redis',
  'kafka',
  'behaviours',
] as const satisfies readonly SourceName[]

/** One question to all sources: who cannot answer is left out of it from then on, and of the answer. */
export interface Inquiry {
  /** Undefined where the source is not there or could not answer. */
  ask<Name extends SourceName, T>(
    name: Name,
    question: (source: NonNullable<TraceSources[Name]>) => Promise<T>,
  ): Promise<T | undefined>
  states(): Record<SourceName, SourceReport['state']>
  /** Throws TRACE_SOURCES_UNAVAILABLE where nobody at all could answer. */
  reports(): SourceReport[]
}

export const openInquiry = (sources: TraceSources): Inquiry => {
  const answered = new Set<SourceName>()
  const failures = new Map<SourceName, string>()

  const reportOf = (source: SourceName): SourceReport => {
    if (sources[source] === undefined) return { source, state: 'not-configured', detail: null }
    const detail = failures.get(source)
    if (detail !== undefined) return { source, state: 'unavailable', detail }
    return { source, state: answered.has(source) ? 'answered' : 'not-asked', detail: null }
  }

  return {
    ask: async (name, question) => {
      const source = sources[name]
      if (source === undefined || failures.has(name)) return undefined
      try {
        const answer = await question(source)
        answered.add(name)
        return answer
      } catch (error) {
        if (!isFailureOfSource(error)) throw error
        failures.set(name, redactCredentials(error.message))
        return undefined
      }
    },
    states: () => {
      const states = sourceNames.map((name) => [name, reportOf(name).state] as const)
      return Object.fromEntries(states) as Record<SourceName, SourceReport['state']>
    },
    reports: () => {
      const reports = sourceNames.map(reportOf)
      if (answered.size > 0) return reports
      const reasons = reports.map(({ source, state, detail }) => `  ${source}: ${detail ?? state}`)
      const message = `Nobody could be asked:\n${reasons.join('\n')}`
      throw new TransientError('TRACE_SOURCES_UNAVAILABLE', message, { dependency: 'trace' })
    },
  }
}

/** Failures of kafkajs are no DropbellErrors; anything else is a fault of ours. */
const isFailureOfSource = (error: unknown): error is Error =>
  error instanceof DropbellError || (error instanceof Error && error.name.startsWith('KafkaJS'))

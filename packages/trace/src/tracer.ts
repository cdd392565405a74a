import type { DetectionRules } from '@dropbell/offers/detect-trigger'
import { type Inquiry, openInquiry, type TraceSources } from './inquiry.ts'
import type { Question, Trace } from './trace.ts'
import { traceEvent } from './trace-event.ts'
import { traceNotification } from './trace-notification.ts'
import { traceUser } from './trace-user.ts'

export interface TraceOptions {
  readonly question: Question
  /** Nothing older is looked for where the time of the event is not known. Milliseconds since the epoch. */
  readonly since: number
  /** Most ways in the answer. */
  readonly limit: number
}

export interface TracerOptions {
  readonly sources: TraceSources
  /** As the services are configured now; they may have been otherwise then. */
  readonly rules: DetectionRules
  readonly clock?: { now(): number }
}

/** What one question is answered with. */
export interface TraceContext extends Omit<TraceOptions, 'question'> {
  readonly inquiry: Inquiry
  readonly rules: DetectionRules
  readonly now: number
}

export type Tracer = (options: TraceOptions) => Promise<Trace>

/**
 * Answers why somebody was told, or was not. Only reads. Sources that cannot answer make the answer smaller, and it says
 * so; only if none can answer there is none (TRACE_SOURCES_UNAVAILABLE).
 */
export const createTracer =
  ({ sources, rules, clock = Date }: TracerOptions): Tracer =>
  async ({ question, since, limit }) => {
    const context = { inquiry: openInquiry(sources), rules, now: clock.now(), since, limit }
    const answer = await answerOf(question, context)
    return { question, ...answer, sources: context.inquiry.reports() }
  }

/** A trace but for what is the same in all of them. */
export type Answer = Omit<Trace, 'question' | 'sources'>

const answerOf = (question: Question, context: TraceContext): Promise<Answer> => {
  switch (question.kind) {
    case 'notification':
      return traceNotification(question.notificationId, context)
    case 'event':
      return traceEvent(question.eventId, context)
    case 'event-and-user':
      return traceUser({ userId: question.userId, productId: null, eventId: question.eventId }, context)
    case 'user':
      return traceUser({ ...question, eventId: null }, context)
  }
}

import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import type { NotificationType } from '@dropbell/schemas/generated/notification-event'
import { TransientError } from '@dropbell/shared/errors'
import type { Decision, Refusal, RefusalReason } from './decision.ts'
import type { Gate, GateAnswer } from './gate.ts'
import type { LocalDateAt } from './local-date.ts'
import type { NotificationMetrics } from './notification-metrics.ts'

export interface Candidate {
  readonly userId: string
  readonly notificationId: string
}

/** A page of users who would be told of one event. */
export interface AdmissionRequest {
  readonly type: NotificationType
  readonly eventId: string
  readonly eventTimestamp: number
  readonly expiresAt: number
  /** What a user is told about once in a while: the product, or `DAILY_RECOMMENDATION`. */
  readonly subject: string
  /** How often the event came back from the dead letters. */
  readonly replayCount: number
  readonly now: number
  /** Each user once. */
  readonly candidates: readonly Candidate[]
}

export interface Admission extends Candidate {
  readonly decision: Decision
  /** The default where it was decided without looking. */
  readonly recipient: Recipient
}

/** In the order of the candidates. If anybody who has to be asked cannot answer, nobody is admitted: it throws. */
export type Admit = (request: AdmissionRequest) => Promise<Admission[]>

export interface AdmissionDeps {
  readRecipients(userIds: readonly string[]): Promise<ReadonlyMap<string, Recipient>>
  findKnown(notificationIds: readonly string[]): Promise<ReadonlySet<string>>
  gate: Pick<Gate, 'admit'>
  localDateAt: LocalDateAt
  metrics: Pick<NotificationMetrics, 'admissions' | 'blocked' | 'gateSeconds'>
}

// As long as a slot is held at least. Before that a redelivered event finds its own slot, and costs nobody another.
const surelyHeldMs = 3_600_000
const clockSkewMs = 60_000

/** From cheap to dear, and so that a refusal takes nothing away: whoever opted out keeps the day's count. */
export const createAdmit = (deps: AdmissionDeps): Admit => {
  const decide = async (request: AdmissionRequest): Promise<Admission[]> => {
    const { type, now, candidates } = request
    if (now > request.expiresAt) return candidates.map((candidate) => settled(candidate, refused('expired')))

    const known = mayBeKnown(request)
      ? await deps.findKnown(candidates.map(({ notificationId }) => notificationId))
      : noneKnown
    const unknown = candidates.filter(({ notificationId }) => !known.has(notificationId))
    const decided = type === 'TRANSACTIONAL' ? unknown.map(admitted) : await askUserAndGate(request, type, unknown)
    const byUser = new Map(decided.map((admission) => [admission.userId, admission]))
    return candidates.map((candidate) => byUser.get(candidate.userId) ?? settled(candidate, refused('already-known')))
  }

  const askUserAndGate = async (
    request: AdmissionRequest,
    type: Exclude<NotificationType, 'TRANSACTIONAL'>,
    candidates: readonly Candidate[],
  ): Promise<Admission[]> => {
    const recipients = await deps.readRecipients(candidates.map(({ userId }) => userId))
    const judged = candidates.map((candidate) => {
      const recipient = recipients.get(candidate.userId) ?? defaultRecipient
      return { ...candidate, recipient, optedOut: recipient.optedOut.has(type) }
    })
    const willing = judged.filter(({ optedOut }) => !optedOut)
    const answers = await askGate(request, willing)
    const decisions = new Map(answers.map((answer, index) => [willing[index]?.userId, toDecision(answer)]))
    return judged.map(({ optedOut: _, ...judgement }) => ({
      ...judgement,
      decision: decisions.get(judgement.userId) ?? refused('opted-out'),
    }))
  }

  const askGate = async (
    { now, eventId, subject, type }: AdmissionRequest,
    users: readonly Pick<Admission, 'userId' | 'recipient'>[],
  ): Promise<GateAnswer[]> => {
    const stop = deps.metrics.gateSeconds.startTimer()
    try {
      const answers = await deps.gate.admit(
        users.map(({ userId, recipient }) => {
          return { userId, subject, type, eventId, date: deps.localDateAt(now, recipient.timezone) }
        }),
      )
      stop({ outcome: 'ok' })
      return answers
    } catch (error) {
      stop({ outcome: 'failed' })
      throw error
    }
  }

  return async (request) => {
    try {
      const admissions = await decide(request)
      for (const { decision } of admissions) {
        const result = decision.kind === 'admitted' ? 'admitted' : decision.reason
        deps.metrics.admissions.inc({ type: request.type, result })
      }
      return admissions
    } catch (error) {
      if (error instanceof TransientError && isGuard(error.dependency)) {
        deps.metrics.blocked.inc({ dependency: error.dependency }, request.candidates.length)
      }
      throw error
    }
  }
}

const noneKnown: ReadonlySet<string> = new Set()

const mayBeKnown = ({ replayCount, now, eventTimestamp }: AdmissionRequest): boolean =>
  // An event from the future has a wrong time, and may be as old as any.
  replayCount > 0 || now - eventTimestamp > surelyHeldMs || eventTimestamp > now + clockSkewMs

const isGuard = (dependency: string | undefined): dependency is 'redis' | 'postgres' =>
  dependency === 'redis' || dependency === 'postgres'

const refused = (reason: RefusalReason): Refusal => ({ kind: 'refused', reason })

const settled = (candidate: Candidate, decision: Decision): Admission => ({
  ...candidate,
  decision,
  recipient: defaultRecipient,
})

const admitted = (candidate: Candidate): Admission => settled(candidate, { kind: 'admitted' })

const toDecision = (answer: GateAnswer): Decision => {
  switch (answer.kind) {
    case 'admitted':
    case 'held':
      return { kind: 'admitted' }
    case 'duplicate':
      return { kind: 'refused', reason: 'duplicate', blockingEventId: answer.blockingEventId }
    case 'daily-limit':
      return { kind: 'refused', reason: 'daily-limit', dayCount: answer.dayCount }
  }
}

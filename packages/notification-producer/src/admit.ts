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
  /** Each user once. */
  readonly candidates: readonly Candidate[]
}

export interface Admission extends Candidate {
  readonly decision: Decision
  /** The default where it was decided without looking. */
  readonly recipient: Recipient
}

/**
 * Several pages at once: one question each to Postgres and the gate, however many events they are of. The answers are in
 * the order of the requests and of their candidates. If anybody who has to be asked cannot answer, nobody is admitted:
 * it throws.
 */
export type Admit = (requests: readonly AdmissionRequest[], now: number) => Promise<Admission[][]>

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

/** An admission on its way. */
interface Draft extends Candidate {
  readonly request: AdmissionRequest
  decision: Decision | undefined
  recipient: Recipient
}

/** From cheap to dear, and so that a refusal takes nothing away: whoever opted out keeps the day's count. */
export const createAdmit = (deps: AdmissionDeps): Admit => {
  const decide = async (drafts: readonly Draft[], now: number): Promise<void> => {
    for (const draft of drafts) if (now > draft.request.expiresAt) draft.decision = refused('expired')

    const doubtful = undecided(drafts).filter(({ request }) => mayBeKnown(request, now))
    const known = doubtful.length > 0 ? await deps.findKnown(doubtful.map((draft) => draft.notificationId)) : noneKnown
    for (const draft of doubtful) if (known.has(draft.notificationId)) draft.decision = refused('already-known')

    for (const draft of undecided(drafts)) if (draft.request.type === 'TRANSACTIONAL') draft.decision = admitted
    await askUsers(undecided(drafts))
    await askGate(undecided(drafts), now)
  }

  const askUsers = async (drafts: readonly Draft[]): Promise<void> => {
    if (drafts.length === 0) return
    const recipients = await deps.readRecipients([...new Set(drafts.map(({ userId }) => userId))])
    for (const draft of drafts) {
      draft.recipient = recipients.get(draft.userId) ?? defaultRecipient
      const { type } = draft.request
      if (type !== 'TRANSACTIONAL' && draft.recipient.optedOut.has(type)) draft.decision = refused('opted-out')
    }
  }

  const askGate = async (drafts: readonly Draft[], now: number): Promise<void> => {
    if (drafts.length === 0) return
    const stop = deps.metrics.gateSeconds.startTimer()
    try {
      const answers = await deps.gate.admit(
        drafts.map(({ userId, recipient, request: { subject, type, eventId } }) => {
          return { userId, subject, type, eventId, date: deps.localDateAt(now, recipient.timezone) }
        }),
      )
      stop({ outcome: 'ok' })
      for (const [index, draft] of drafts.entries()) draft.decision = toDecision(answers[index] as GateAnswer)
    } catch (error) {
      stop({ outcome: 'failed' })
      throw error
    }
  }

  return async (requests, now) => {
    const pages = requests.map((request) => request.candidates.map((candidate) => toDraft(request, candidate)))
    const drafts = pages.flat()
    try {
      await decide(drafts, now)
      countDecisions(drafts, deps.metrics)
      return pages.map((page) => page.map(toAdmission))
    } catch (error) {
      if (error instanceof TransientError && isGuard(error.dependency)) {
        deps.metrics.blocked.inc({ dependency: error.dependency }, drafts.length)
      }
      throw error
    }
  }
}

const toDraft = (request: AdmissionRequest, { userId, notificationId }: Candidate): Draft => ({
  userId,
  notificationId,
  request,
  decision: undefined,
  recipient: defaultRecipient,
})

const toAdmission = ({ userId, notificationId, decision, recipient }: Draft): Admission => ({
  userId,
  notificationId,
  decision: decision as Decision,
  recipient,
})

const undecided = (drafts: readonly Draft[]): Draft[] => drafts.filter(({ decision }) => decision === undefined)

const noneKnown: ReadonlySet<string> = new Set()

const mayBeKnown = ({ replayCount, eventTimestamp }: AdmissionRequest, now: number): boolean =>
  // An event from the future has a wrong time, and may be as old as any.
  replayCount > 0 || now - eventTimestamp > surelyHeldMs || eventTimestamp > now + clockSkewMs

const countDecisions = (drafts: readonly Draft[], { admissions }: Pick<NotificationMetrics, 'admissions'>): void => {
  const counts = new Map<string, { type: NotificationType; result: string; count: number }>()
  for (const { request, decision } of drafts) {
    const result = decision?.kind === 'refused' ? decision.reason : 'admitted'
    const counted = counts.get(`${request.type} ${result}`)
    if (counted) counted.count++
    else counts.set(`${request.type} ${result}`, { type: request.type, result, count: 1 })
  }
  for (const { type, result, count } of counts.values()) admissions.inc({ type, result }, count)
}

const isGuard = (dependency: string | undefined): dependency is 'redis' | 'postgres' =>
  dependency === 'redis' || dependency === 'postgres'

const admitted: Decision = { kind: 'admitted' }
const admittedAgain: Decision = { kind: 'admitted', again: true }

const refused = (reason: RefusalReason): Refusal => ({ kind: 'refused', reason })

const toDecision = (answer: GateAnswer): Decision => {
  switch (answer.kind) {
    case 'admitted':
      return admitted
    case 'held':
      return admittedAgain
    case 'duplicate':
      return { kind: 'refused', reason: 'duplicate', blockingEventId: answer.blockingEventId }
    case 'daily-limit':
      return { kind: 'refused', reason: 'daily-limit', dayCount: answer.dayCount }
  }
}

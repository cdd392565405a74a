import { statusOf } from '@dropbell/schemas/refusal-codes'
import type { Ending, Step } from './trace.ts'

type StepOf<Kind extends Step['kind']> = Extract<Step, { kind: Kind }>

/** The newest outcome decides; without one, how far it came. */
export const endingOf = (steps: readonly Step[]): Ending => {
  const all = <Kind extends Step['kind']>(kind: Kind): StepOf<Kind>[] =>
    steps.filter((step): step is StepOf<Kind> => step.kind === kind)

  const [newest] = all('outcome').sort((one, other) => other.revision - one.revision || other.at - one.at)
  if (newest) return { status: newest.status, reason: newest.reason }
  const [planned] = all('planned')
  if (planned && all('retry-due').length > 0) return { status: 'UNDER_WAY', reason: null }
  if (planned) return ofLedger(planned, all('attempted'), all('withheld'), all('deferred'))
  // One that was put back since is no longer the end of it.
  const cameAgainAt = Math.max(...[...all('received'), ...all('published')].map(({ at }) => at))
  const deadLetter = all('dead-lettered').at(-1)
  if (deadLetter && deadLetter.at >= cameAgainAt) return { status: 'DEAD_LETTERED', reason: deadLetter.reason }
  if (all('published').length > 0 || all('admitted').length > 0) return { status: 'UNDER_WAY', reason: null }
  const [ignored] = all('ignored')
  if (ignored) return { status: 'IGNORED', reason: ignored.reason }
  if (all('not-targeted').length > 0) return { status: 'NOT_A_TARGET', reason: null }
  return { status: 'UNKNOWN', reason: null }
}

const ofLedger = (
  { refusal, targets }: StepOf<'planned'>,
  attempted: StepOf<'attempted'>[],
  withheld: StepOf<'withheld'>[],
  [deferred]: StepOf<'deferred'>[],
): Ending => {
  if (refusal !== null) return { status: statusOf(refusal), reason: refusal }
  if (attempted.some(({ code }) => code === null)) return { status: 'SENT', reason: null }
  if (deferred) return { status: 'DEFERRED', reason: deferred.code }
  const settled = [...attempted, ...withheld]
  const isOpen = settled.length < targets.length
  if (isOpen) return { status: 'UNDER_WAY', reason: null }
  const reason = settled.at(-1)?.code ?? 'NO_CHANNEL'
  return { status: statusOf(reason), reason }
}

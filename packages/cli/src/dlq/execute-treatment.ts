import type { RunCounts } from '@dropbell/dead-letters/run'
import type { Survey } from '@dropbell/dead-letters/survey'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import { formatSurvey, surveyJson } from './format-survey.ts'
import { formatCount } from './printable.ts'
import { doneOf } from './run-progress.ts'
import { rehearse, type TreatedLetters, type TreatOptions, treatLetters } from './treat-letters.ts'
import { withDlq } from './with-dlq.ts'

export interface TreatmentFlags {
  readonly brokers?: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** The common course of `replay` and `dismiss`: a dry run unless it is confirmed, then the run and how it ended. */
export const executeTreatment = async (
  session: Session,
  flags: TreatmentFlags,
  options: Omit<TreatOptions, 'onSurvey'>,
): Promise<ExitCode> => {
  const { output } = session
  let surveyed: Survey | undefined
  const onSurvey = (found: Survey): void => {
    surveyed = found
    // Before a run it is not the answer.
    if (!flags.json) (flags.yes ? output.warn : output.print)(formatSurvey(options.topic, found))
  }
  if (!flags.yes) {
    await withDlq(session, flags, (clients) => rehearse(clients, session, { ...options, onSurvey }))
    if (flags.json) output.printJson({ topic: options.topic, dryRun: true, ...surveyJson(surveyed as Survey) })
    else if ((surveyed as Survey | undefined)?.selected) output.print('\nNothing was written. --yes does it.')
    return exitCodes.ok
  }

  return withDlq(
    session,
    flags,
    async (clients) => {
      const treated = await treatLetters(clients, session, { ...options, onSurvey })
      if (flags.json) output.printJson(resultJson(options.topic, surveyed as Survey, treated))
      else if (treated !== undefined) output.print(formatResult(treated))
      if (treated?.result.state === 'failed') throw treated.result.error
      if (treated?.result.state === 'interrupted') return exitCodes.interrupted
      return leftCount(surveyed as Survey) > 0 ? exitCodes.problemsFound : exitCodes.ok
    },
    { endsItself: true },
  )
}

const leftCount = ({ left }: Survey): number => left['no-origin'] + left['past-max-replays']

const formatResult = ({ run, result: { state, counts } }: TreatedLetters): string => {
  const whole = `${describeCounts(counts)}. Run ${run.id}.`
  if (state === 'finished') return whole
  const stand = `${formatCount(doneOf(counts))} of ${formatCount(run.selected)}`
  const what = state === 'interrupted' ? 'Stopped' : 'Failed'
  return `${what} after ${stand}. ${whole}\nWhat is done is marked: the same command goes on where this one stopped; with --again it begins anew.`
}

const describeCounts = ({ replayed, quarantined, dismissed }: RunCounts): string => {
  const parts = [
    [replayed, 'replayed'],
    [quarantined, 'quarantined'],
    [dismissed, 'dismissed'],
  ].filter(([count]) => (count as number) > 0)
  return parts.map(([count, word]) => `${formatCount(count as number)} ${word}`).join(', ') || 'Nothing done'
}

const resultJson = (topic: string, surveyed: Survey, treated: TreatedLetters | undefined) => ({
  topic,
  dryRun: false,
  run: treated?.run.id ?? null,
  state: treated?.result.state ?? 'finished',
  counts: treated?.result.counts ?? { replayed: 0, quarantined: 0, dismissed: 0 },
  ...surveyJson(surveyed),
})

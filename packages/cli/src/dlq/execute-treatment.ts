import type { RunCounts } from '@dropbell/dead-letters/run'
import type { TooLarge } from '@dropbell/dead-letters/run-over'
import type { Survey } from '@dropbell/dead-letters/survey'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import { formatCount } from './format-facts.ts'
import { formatSurvey, surveyJson } from './format-survey.ts'
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
  options: Omit<TreatOptions, 'onSurvey'> & { readonly commandLine: string },
): Promise<ExitCode> => {
  const { output } = session
  const { topic, commandLine } = options
  let surveyed: Survey | undefined
  const onSurvey = (found: Survey): void => {
    surveyed = found
    if (flags.json) return
    // Before a run it is not the answer.
    const tell = flags.yes ? output.warn : output.print
    tell(formatSurvey(topic, found))
    if (flags.yes && found.selected > 0) tell(`\n${describeResumption(options)}`)
  }
  if (!flags.yes) {
    await withDlq(session, flags, (clients) => rehearse(clients, session, { ...options, onSurvey }))
    const found = surveyed as Survey
    if (flags.json) output.printJson({ topic, dryRun: true, command: commandLine, ...surveyJson(found) })
    else if (found.selected > 0) output.print(`\nNothing was written. This does it:\n  ${commandLine}`)
    return found.missing.length > 0 ? exitCodes.problemsFound : exitCodes.ok
  }

  return withDlq(
    session,
    flags,
    async (clients) => {
      const treated = await treatLetters(clients, session, { ...options, onSurvey })
      const found = surveyed as Survey
      if (flags.json) output.printJson(resultJson(topic, commandLine, found, treated))
      else if (treated !== undefined) output.print(formatResult(treated, options))
      if (treated?.result.state === 'failed') throw treated.result.error
      if (treated?.result.state === 'interrupted') return exitCodes.interrupted
      const tooLarge = treated?.result.tooLarge.count ?? 0
      return leftCount(found) + tooLarge > 0 ? exitCodes.problemsFound : exitCodes.ok
    },
    { endsItself: true },
  )
}

const leftCount = ({ left, missing }: Survey): number => left['no-origin'] + left['past-max-replays'] + missing.length

type Again = { readonly again: boolean; readonly commandLine: string }

const describeResumption = ({ again, commandLine }: Again): string =>
  `${again ? 'With --again, this begins anew if it is interrupted' : 'This goes on where it stopped if it is interrupted'}:\n  ${commandLine}`

const formatResult = ({ run, result }: TreatedLetters, options: Again): string => {
  const { state, counts, tooLarge } = result
  const whole = [`${describeCounts(counts)}. Run ${run.id}.`, ...describeTooLarge(tooLarge)].join('\n')
  if (state === 'finished') return whole
  const stand = `${formatCount(doneOf(counts))} of ${formatCount(run.selected)}`
  const what = state === 'interrupted' ? 'Stopped' : 'Failed'
  const goOn = options.again ? 'with --again, this begins anew' : 'go on where it stopped with'
  return `${what} after ${stand}. ${whole}\nWhat is done is marked; ${goOn}:\n  ${options.commandLine}`
}

const describeTooLarge = ({ count, places }: TooLarge): string[] => {
  if (count === 0) return []
  const more = count > places.length ? ' …' : ''
  const subject =
    count === 1
      ? '1 is too large for its topic and was'
      : `${formatCount(count)} are too large for their topic and were`
  return [`${subject} left: ${places.join(' ')}${more}`]
}

const describeCounts = ({ replayed, quarantined, dismissed }: RunCounts): string => {
  const parts = [
    [replayed, 'replayed'],
    [quarantined, 'quarantined'],
    [dismissed, 'dismissed'],
  ].filter(([count]) => (count as number) > 0)
  return parts.map(([count, word]) => `${formatCount(count as number)} ${word}`).join(', ') || 'Nothing done'
}

const resultJson = (topic: string, command: string, surveyed: Survey, treated: TreatedLetters | undefined) => ({
  topic,
  dryRun: false,
  command,
  run: treated?.run.id ?? null,
  state: treated?.result.state ?? 'finished',
  counts: treated?.result.counts ?? { replayed: 0, quarantined: 0, dismissed: 0 },
  tooLarge: treated?.result.tooLarge ?? { count: 0, places: [] },
  ...surveyJson(surveyed),
})

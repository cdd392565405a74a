import { setTimeout as delay } from 'node:timers/promises'
import type { RunAnswer, RunReport } from '@dropbell/schemas/recommendation-runs'
import { loadConfig } from '@dropbell/shared/config'
import { type Command, Option } from 'commander'
import { CliError } from '../cli-error.ts'
import { dayOption, jsonOption, schedulerUrlOption } from '../config-option.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatProgress, formatRun } from '../recommendations/format-run.ts'
import { openScheduler, type SchedulerClient, schedulerSchema } from '../recommendations/scheduler-client.ts'
import { type Execute, type RunCommand, type Session, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly url?: string
  readonly day?: string
  readonly takeOver?: boolean
  readonly wait: boolean
  readonly json?: boolean
}

const lookEveryMs = 500

export const addRecommendationsRun = (recommendations: Command, run: RunCommand): void => {
  recommendations
    .command('run')
    .description(
      'Begin the run of a day, go on with one that stopped, or serve who was left out; then watch it. Nobody is told twice. ' +
        'Ends with 1 unless everybody had a turn and nobody was left out. Ctrl-C ends the watching, not the run.',
    )
    .addOption(schedulerUrlOption())
    .addOption(dayOption())
    .addOption(new Option('--take-over', 'take the run from a holder that has not been heard of for 60 s'))
    .addOption(new Option('--no-wait', 'begin it and do not watch'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The token is read from RECOMMENDATION_TRIGGER_TOKEN.

Examples:
  $ dropbell recommendations run
  $ dropbell recommendations run --url http://scheduler:9464 --take-over
  $ dropbell recommendations run --day 2026-11-19 --json`,
    )
    .action(run(executeRecommendationsRun))
}

const executeRecommendationsRun: Execute<Options> = async (session, options) => {
  const { env, output, signal } = session
  const scheduler = openScheduler(
    loadConfig(schedulerSchema, withFlags(env, { RECOMMENDATION_SCHEDULER_URL: options.url })),
  )
  const { day, takeOver = false } = options
  const answer = await untilInterrupted(signal, scheduler.start({ ...(day !== undefined && { day }), takeOver }))
  const begun = requireBegun(answer)
  const isStarted = answer.result === 'started'
  const run = isStarted && options.wait ? await watch(scheduler, begun, session) : begun
  if (options.json) output.printJson({ result: answer.result, run })
  else if (!isStarted) output.print(`Nothing to do: everybody had a turn.\n${formatRun(run, output.paint)}`)
  else output.print(formatRun(run, output.paint))
  return isStarted && !options.wait ? exitCodes.ok : exitCodeOf(run)
}

const watch = async (scheduler: SchedulerClient, begun: RunReport, { output, signal }: Session): Promise<RunReport> => {
  for (let run = begun; ; ) {
    if (run.status !== 'RUNNING') return run
    output.progress(formatProgress(run))
    await untilInterrupted(signal, delay(lookEveryMs))
    run = (await untilInterrupted(signal, scheduler.read(begun.day))) ?? run
  }
}

const exitCodeOf = ({ status, leftOut }: RunReport): ExitCode =>
  status === 'DONE' && leftOut === 0 ? exitCodes.ok : exitCodes.problemsFound

const requireBegun = ({ result, run, retryAfterMs = 0 }: RunAnswer): RunReport => {
  const progress = run ? ` ${formatProgress(run)}` : ''
  const inSeconds = `in ${Math.ceil(retryAfterMs / 1_000)} s`
  const refuse = (message: string, hint: string): CliError =>
    new CliError({ code: 'RUN_NOT_BEGUN', message, hint, exitCode: exitCodes.problemsFound })
  switch (result) {
    case 'under-way':
      throw refuse(
        `A run is under way.${progress}`,
        `It was last heard of ${Math.round((run?.heartbeatAgeMs ?? 0) / 1_000)} s ago. If its holder is dead: --take-over.`,
      )
    case 'not-stale':
      throw refuse(`The run under way is alive, and not taken over.${progress}`, `Ask again ${inSeconds}.`)
    case 'locked':
      throw refuse(
        'The run is locked: another instance has just begun or ended it.',
        `Ask again ${inSeconds}, or use --take-over.`,
      )
    default:
      if (run) return run
      throw refuse('The scheduler does not say what became of the run.', 'See `dropbell recommendations status`.')
  }
}

import { todaysRun } from '@dropbell/schemas/recommendation-runs'
import { loadConfig } from '@dropbell/shared/config'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { dayOption, jsonOption, schedulerUrlOption } from '../config-option.ts'
import { exitCodes } from '../exit-codes.ts'
import { formatProgress, formatRun } from '../recommendations/format-run.ts'
import { openScheduler, schedulerSchema } from '../recommendations/scheduler-client.ts'
import { type Execute, type RunCommand, withFlags } from '../session.ts'
import { untilInterrupted } from '../until-interrupted.ts'

interface Options {
  readonly url?: string
  readonly day?: string
  readonly json?: boolean
}

export const addRecommendationsStatus = (recommendations: Command, run: RunCommand): void => {
  recommendations
    .command('status')
    .description('Show how far the run of a day is. Ends with 1 if there was none.')
    .addOption(schedulerUrlOption())
    .addOption(dayOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The token is read from RECOMMENDATION_TRIGGER_TOKEN.

Examples:
  $ dropbell recommendations status
  $ dropbell recommendations status --day 2026-11-19 --json | jq .leftOut`,
    )
    .action(run(executeRecommendationsStatus))
}

const executeRecommendationsStatus: Execute<Options> = async ({ env, output, signal }, options) => {
  const scheduler = openScheduler(
    loadConfig(schedulerSchema, withFlags(env, { RECOMMENDATION_SCHEDULER_URL: options.url })),
  )
  const day = options.day ?? todaysRun
  const run = await untilInterrupted(signal, scheduler.read(day))
  if (run === undefined) {
    const message = `There was no run ${options.day === undefined ? 'today' : `on ${day}`}.`
    throw new CliError({ code: 'NO_RUN', message, exitCode: exitCodes.problemsFound })
  }
  if (options.json) output.printJson(run)
  else
    output.print([formatRun(run, output.paint), ...(run.status === 'RUNNING' ? [formatProgress(run)] : [])].join('\n'))
  return exitCodes.ok
}

import {
  type RunAnswer,
  type RunReport,
  type RunRequest,
  runAnswerSchema,
  runPaths,
  runReportSchema,
  schedulerUrlConfig,
  triggerTokenConfig,
} from '@dropbell/schemas/recommendation-runs'
import { type Config, defineConfig } from '@dropbell/shared/config'
import { redactCredentials } from '@dropbell/shared/redact-credentials'
import type { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'

export const schedulerSchema = defineConfig(schedulerUrlConfig, triggerTokenConfig)

export interface SchedulerClient {
  start(request: RunRequest): Promise<RunAnswer>
  /** Undefined: there was no run that day. */
  read(day: string): Promise<RunReport | undefined>
}

const timeoutMs = 10_000

/** An instance of the recommendation scheduler, or what stands before several of them. */
export const openScheduler = (config: Config<typeof schedulerSchema>): SchedulerClient => {
  const { RECOMMENDATION_SCHEDULER_URL: url, RECOMMENDATION_TRIGGER_TOKEN: token } = config
  if (token === undefined) {
    throw new CliError({
      code: 'TOKEN_MISSING',
      message: 'RECOMMENDATION_TRIGGER_TOKEN is not set.',
      hint: 'Set it in the environment to what the recommendation-scheduler was given. There is no flag for it, on purpose.',
      exitCode: exitCodes.invalidConfig,
    })
  }

  const ask = async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
        ...{ method, headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'error' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: jsonOf(text) }
    } catch (cause) {
      throw unavailable(url, cause)
    }
  }
  const parse = <T>(schema: z.ZodType<T>, { status, body }: { status: number; body: unknown }): T => {
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    throw refusal(url, status, body)
  }

  return {
    start: async (request) => parse(runAnswerSchema, await ask('POST', runPaths.runs, request)),
    read: async (day) => {
      const answer = await ask('GET', runPaths.run(day))
      // A 404 with a message of its own is an answer; without one there is no such address.
      if (answer.status === 404 && messageOf(answer.body)?.startsWith('there was no run')) return undefined
      return parse(runReportSchema, answer)
    },
  }
}

const unavailable = (url: string, cause: unknown): CliError =>
  new CliError({
    code: 'SCHEDULER_UNAVAILABLE',
    message: `The recommendation scheduler at ${redactCredentials(url)} does not answer.`,
    hint: 'Is it running? --url or RECOMMENDATION_SCHEDULER_URL says where its operations port is.',
    exitCode: exitCodes.unavailable,
    cause,
  })

const refusal = (url: string, status: number, body: unknown): CliError => {
  const said = messageOf(body)
  const place = redactCredentials(url)
  switch (status) {
    case 401:
      return new CliError({
        code: 'SCHEDULER_DENIED',
        message: `The recommendation scheduler at ${place} does not accept the token.`,
        hint: 'RECOMMENDATION_TRIGGER_TOKEN must be the same there and here.',
        exitCode: exitCodes.unavailable,
      })
    case 404:
      return new CliError({
        code: 'SCHEDULER_CLOSED',
        message: `${place} takes no runs by hand.`,
        hint: 'Is it the operations port of a recommendation-scheduler that is enabled and has a RECOMMENDATION_TRIGGER_TOKEN?',
        exitCode: exitCodes.unavailable,
      })
    case 503:
      return new CliError({
        code: 'SCHEDULER_NOT_READY',
        message: `The scheduler cannot begin a run: ${said ?? 'an engine is missing'}.`,
        exitCode: exitCodes.unavailable,
      })
    default:
      return new CliError({
        code: 'SCHEDULER_REFUSED',
        message: `The scheduler refuses: ${said ?? `it answers ${status}`}.`,
        exitCode: exitCodes.problemsFound,
      })
  }
}

const messageOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
    ? body.message
    : undefined

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

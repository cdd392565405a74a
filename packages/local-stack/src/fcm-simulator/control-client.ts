import type { Behaviour } from './behaviour.ts'
import type { TokenMessage } from './check-message.ts'
import { controlPath } from './control-routes.ts'
import type { ProjectReport, TokenCounts } from './project.ts'

export type { Behaviour, FcmErrorCode } from './behaviour.ts'
export type { TokenMessage } from './check-message.ts'
export type { ProjectReport, TokenCounts } from './project.ts'

/** One project of a running simulator, as tests, demo and bench see it. Take a project of your own: they are separate. */
export interface FcmControl {
  readonly project: string
  /** What happens to messages from now on, in order; to all of the project, or to one token, which then comes first. */
  script(behaviours: Behaviour | readonly Behaviour[], token?: string): Promise<void>
  report(): Promise<ProjectReport>
  countsOf(token: string): Promise<TokenCounts>
  /** The latest 1,000 that were taken, oldest first. */
  messages(token?: string): Promise<TokenMessage[]>
  /** Forgets scripts, counts and messages of the project. */
  reset(): Promise<void>
}

export const createFcmControl = (endpoint: string, project: string): FcmControl => {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${endpoint}${controlPath(project)}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The FCM simulator answers ${response.status} to ${method} ${path}: ${text}`)
    return JSON.parse(text) as T
  }
  const report = () => ask<ProjectReport>('GET', '')
  return {
    project,
    report,
    script: async (behaviours, token) => {
      await ask('PUT', '/script', { behaviours: [behaviours].flat(), ...(token !== undefined && { token }) })
    },
    countsOf: async (token) => (await report()).tokens[token] ?? { requests: 0, accepted: 0 },
    messages: (token) => ask('GET', token === undefined ? '/messages' : `/messages?token=${encodeURIComponent(token)}`),
    reset: async () => {
      await ask('DELETE', '')
    },
  }
}

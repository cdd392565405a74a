import { createScripts } from '../simulator/script.ts'
import type { Behaviour } from './behaviour.ts'
import type { TokenMessage } from './check-message.ts'
import type { Connection } from './exchange.ts'

export interface TokenCounts {
  /** However they ended. */
  requests: number
  /** What the device got. */
  accepted: number
}

export interface ProjectReport {
  readonly requests: number
  readonly accepted: number
  /** Requests by the HTTP status they were answered with. */
  readonly answers: Readonly<Record<string, number>>
  /** Connections that brought a request. */
  readonly connections: Readonly<Record<Connection['protocol'], number>>
  readonly tokens: Readonly<Record<string, TokenCounts>>
}

/**
 * What one Firebase project has seen, and what is to happen to its messages. Whoever shares a simulator takes a project
 * of their own, and disturbs nobody.
 */
export interface Project {
  requestSeen(connection: Connection): void
  tokenSeen(token: string): void
  accepted(message: TokenMessage): void
  answered(status: number): void
  /** Sets what happens from now on, in that order; to one token, or to all that have nothing of their own left. */
  script(behaviours: readonly Behaviour[], token?: string): void
  /** What happens to the next message to this token. */
  nextBehaviour(token: string): Behaviour
  report(): ProjectReport
  countsOf(token: string): TokenCounts
  /** The latest, oldest first; older ones are only counted. */
  messages(token?: string): readonly TokenMessage[]
}

const keptMessages = 1_000

export const createProject = (): Project => {
  const tokens = new Map<string, TokenCounts>()
  const answers: Record<string, number> = {}
  const connections = { http1: 0, http2: 0 }
  const knownConnections = new WeakSet<Connection>()
  const scripts = createScripts<Behaviour>({ do: 'accept' })
  const kept: TokenMessage[] = []
  let requests = 0
  let accepted = 0

  const countsOf = (token: string): TokenCounts => {
    const counts = tokens.get(token) ?? { requests: 0, accepted: 0 }
    tokens.set(token, counts)
    return counts
  }

  return {
    requestSeen: (connection) => {
      requests++
      if (knownConnections.has(connection)) return
      knownConnections.add(connection)
      connections[connection.protocol]++
    },
    tokenSeen: (token) => {
      countsOf(token).requests++
    },
    accepted: (message) => {
      accepted++
      countsOf(message.token).accepted++
      kept.push(message)
      // Cut in bulk: shifting an array of a thousand for every message would cost more than all the rest.
      if (kept.length >= 2 * keptMessages) kept.splice(0, kept.length - keptMessages)
    },
    answered: (status) => {
      answers[status] = (answers[status] ?? 0) + 1
    },
    script: scripts.set,
    nextBehaviour: scripts.next,
    report: () => ({ requests, accepted, answers, connections, tokens: Object.fromEntries(tokens) }),
    countsOf: (token) => tokens.get(token) ?? { requests: 0, accepted: 0 },
    messages: (token) => kept.filter((message) => token === undefined || message.token === token).slice(-keptMessages),
  }
}

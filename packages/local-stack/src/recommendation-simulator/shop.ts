import type { Behaviour } from './behaviour.ts'

export interface ShopReport {
  readonly requests: number
  /** Most requests that were open at the same time. */
  readonly mostAtOnce: number
  /** Requests by the HTTP status they were answered with. */
  readonly answers: Readonly<Record<string, number>>
  /** Connections that brought a request. */
  readonly connections: number
}

/** What the users of one shop were asked about, and what is to happen. Whoever shares a simulator takes a shop of their own. */
export interface Shop {
  requestSeen(userId: string, connection: object): void
  /** However it ended. */
  requestEnded(): void
  answered(status: number): void
  /** Sets what happens from now on, in that order; to one user, or to all that have nothing of their own left. */
  script(behaviours: readonly Behaviour[], userId?: string): void
  nextBehaviour(userId: string): Behaviour
  report(): ShopReport
  /** How often each was asked about. */
  users(): Readonly<Record<string, number>>
}

const byDefault: Behaviour = { do: 'recommend' }

export const createShop = (): Shop => {
  const users = new Map<string, number>()
  const answers: Record<string, number> = {}
  const connections = new WeakSet<object>()
  const forUser = new Map<string, Script>()
  let forAll: Script | undefined
  const counts = { requests: 0, connections: 0, open: 0, mostAtOnce: 0 }
  return {
    requestSeen: (userId, connection) => {
      counts.requests++
      counts.open++
      counts.mostAtOnce = Math.max(counts.mostAtOnce, counts.open)
      users.set(userId, (users.get(userId) ?? 0) + 1)
      if (connections.has(connection)) return
      connections.add(connection)
      counts.connections++
    },
    requestEnded: () => {
      counts.open--
    },
    answered: (status) => {
      answers[status] = (answers[status] ?? 0) + 1
    },
    script: (behaviours, userId) => {
      if (userId === undefined) forAll = createScript(behaviours)
      else forUser.set(userId, createScript(behaviours))
    },
    nextBehaviour: (userId) => forUser.get(userId)?.next() ?? forAll?.next() ?? byDefault,
    report: () => {
      const { requests, mostAtOnce, connections } = counts
      return { requests, mostAtOnce, answers, connections }
    },
    users: () => Object.fromEntries(users),
  }
}

interface Script {
  next(): Behaviour | undefined
}

const createScript = (behaviours: readonly Behaviour[]): Script => {
  const steps = behaviours.map((behaviour) => ({ behaviour, left: behaviour.times ?? Number.POSITIVE_INFINITY }))
  return {
    next: () => {
      const step = steps.find(({ left }) => left > 0)
      if (step) step.left--
      return step?.behaviour
    },
  }
}

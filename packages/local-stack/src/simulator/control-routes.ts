import { z } from 'zod'
import type { Mailbox } from './mailbox.ts'
import type { Scripted } from './script.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly body: string
}

export interface Accounts<B extends Scripted, M> {
  of(account: string): Mailbox<B, M>
  forget(account: string): void
}

export const createAccounts = <B extends Scripted, M>(open: () => Mailbox<B, M>): Accounts<B, M> => {
  const accounts = new Map<string, Mailbox<B, M>>()
  return {
    of: (account) => {
      const mailbox = accounts.get(account) ?? open()
      accounts.set(account, mailbox)
      return mailbox
    },
    forget: (account) => void accounts.delete(account),
  }
}

/** To script what happens and to see what did. */
export const controlPath = (account: string): string => `/control/accounts/${encodeURIComponent(account)}`

export interface ControlOptions<B extends Scripted, M> {
  accounts: Accounts<B, M>
  behaviourSchema: z.ZodType<B>
  /** How a message is shown. */
  show?(message: M): unknown
}

/**
 * GET     /control/accounts/{a}           the report
 * GET     /control/accounts/{a}/messages  the latest messages; `?to=` of one recipient
 * PUT     /control/accounts/{a}/script    what happens from now on
 * DELETE  /control/accounts/{a}           forget everything about the account
 */
export const answerControl = async <B extends Scripted, M>(
  { method, path, body }: ControlRequest,
  { accounts, behaviourSchema, show = (message) => message }: ControlOptions<B, M>,
): Promise<Answer> => {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const [, name, rest = ''] = /^\/control\/accounts\/([^/]+)(?:\/(\w+))?$/.exec(pathname) ?? []
  if (name === undefined) return notFound
  const account = decodeURIComponent(name)
  switch (`${method} ${rest}`) {
    case 'GET ':
      return { status: 200, body: accounts.of(account).report() }
    case 'GET messages': {
      const messages = accounts.of(account).messages(searchParams.get('to') ?? undefined)
      return { status: 200, body: await Promise.all(messages.map(show)) }
    }
    case 'PUT script':
      return script(accounts.of(account), body, behaviourSchema)
    case 'DELETE ':
      accounts.forget(account)
      return { status: 200, body: {} }
    default:
      return notFound
  }
}

const notFound: Answer = { status: 404, body: { error: 'There is no such control' } }

const script = <B extends Scripted, M>(mailbox: Mailbox<B, M>, body: string, behaviourSchema: z.ZodType<B>): Answer => {
  try {
    const schema = z.strictObject({ to: z.string().optional(), behaviours: z.array(behaviourSchema) })
    const { to, behaviours } = schema.parse(JSON.parse(body))
    mailbox.script(behaviours, to)
    return { status: 200, body: {} }
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } }
  }
}

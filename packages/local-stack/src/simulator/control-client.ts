import { controlPath } from './control-routes.ts'
import type { MailboxReport, RecipientCounts } from './mailbox.ts'

/** One account of a running simulator, as tests and demo see it. Take an account of your own: they are separate. */
export interface Control<B, M> {
  readonly account: string
  /** What happens to messages from now on, in order; to all of the account, or to one recipient, which then comes first. */
  script(behaviours: B | readonly B[], recipient?: string): Promise<void>
  report(): Promise<MailboxReport>
  countsOf(recipient: string): Promise<RecipientCounts>
  /** The latest 1,000 that were taken, oldest first. */
  messages(recipient?: string): Promise<M[]>
  /** Forgets scripts, counts and messages of the account. */
  reset(): Promise<void>
}

export const createControl = <B, M>(endpoint: string, account: string): Control<B, M> => {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(new URL(`${controlPath(account)}${path}`, endpoint), {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The simulator answers ${response.status} to ${method} ${path}: ${text}`)
    return JSON.parse(text) as T
  }
  const report = () => ask<MailboxReport>('GET', '')
  return {
    account,
    report,
    script: async (behaviours, recipient) => {
      await ask('PUT', '/script', {
        behaviours: [behaviours].flat(),
        ...(recipient !== undefined && { to: recipient }),
      })
    },
    countsOf: async (recipient) => (await report()).recipients[recipient] ?? { requests: 0, accepted: 0 },
    messages: (recipient) =>
      ask('GET', recipient === undefined ? '/messages' : `/messages?to=${encodeURIComponent(recipient)}`),
    reset: async () => {
      await ask('DELETE', '')
    },
  }
}

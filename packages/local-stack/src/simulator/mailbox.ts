import { createScripts, type Scripted } from './script.ts'

export interface RecipientCounts {
  /** However they ended. */
  requests: number
  /** What the recipient got. */
  accepted: number
}

export interface MailboxReport {
  readonly requests: number
  readonly accepted: number
  readonly recipients: Readonly<Record<string, RecipientCounts>>
}

/**
 * What one account of a simulator has seen, and what is to happen to its messages. Whoever shares a simulator takes an
 * account of their own, and disturbs nobody.
 */
export interface Mailbox<B extends Scripted, M> {
  seen(recipient: string): void
  accept(recipient: string, message: M): void
  script(behaviours: readonly B[], recipient?: string): void
  next(recipient: string): B
  peekForAll(): B | undefined
  report(): MailboxReport
  /** The latest, oldest first; older ones are only counted. */
  messages(recipient?: string): readonly M[]
}

const keptMessages = 1_000

export const createMailbox = <B extends Scripted, M>(byDefault: B): Mailbox<B, M> => {
  const scripts = createScripts<B>(byDefault)
  const recipients = new Map<string, RecipientCounts>()
  const kept: { recipient: string; message: M }[] = []
  let requests = 0
  let accepted = 0
  const countsOf = (recipient: string): RecipientCounts => {
    const counts = recipients.get(recipient) ?? { requests: 0, accepted: 0 }
    recipients.set(recipient, counts)
    return counts
  }
  return {
    seen: (recipient) => {
      requests++
      countsOf(recipient).requests++
    },
    accept: (recipient, message) => {
      accepted++
      countsOf(recipient).accepted++
      kept.push({ recipient, message })
      if (kept.length >= 2 * keptMessages) kept.splice(0, kept.length - keptMessages)
    },
    script: scripts.set,
    next: scripts.next,
    peekForAll: scripts.peekForAll,
    report: () => ({ requests, accepted, recipients: Object.fromEntries(recipients) }),
    messages: (recipient) =>
      kept
        .filter((one) => recipient === undefined || one.recipient === recipient)
        .slice(-keptMessages)
        .map(({ message }) => message),
  }
}

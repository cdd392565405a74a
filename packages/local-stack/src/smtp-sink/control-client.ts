import { type Control, createControl } from '../simulator/control-client.ts'
import type { SmtpBehaviour } from './behaviour.ts'
import type { ShownMail } from './sunk-mail.ts'

export type { SmtpBehaviour } from './behaviour.ts'
export type { ShownMail } from './sunk-mail.ts'

export type SmtpControl = Control<SmtpBehaviour, ShownMail>

/** `endpoint` is SMTP_SINK_URL. */
export const createSmtpControl = (endpoint: string, account: string): SmtpControl => createControl(endpoint, account)

/** How an account's mails are sent: whoever logs in with its name. The password `wrong` is refused. */
export const smtpUrlOf = (smtpUrl: string, account: string, password = 'secret'): string => {
  const { host } = new URL(smtpUrl)
  return `smtp://${encodeURIComponent(account)}:${password}@${host}`
}

import { deliveryFingerprint } from '../delivery-fingerprint.ts'
import { cutTo, inLines, oneLine } from '../plain-text.ts'
import type { Outgoing } from '../provider.ts'
import { isMailAddress, type Sender } from './mail-address.ts'
import { mailWords } from './mail-words.ts'
import { renderHtml, renderText } from './render-mail.ts'
import { type Unsubscribe, unsubscribeHeaders, unsubscribeLink } from './unsubscribe.ts'

export interface MailRules {
  readonly from: Sender
  readonly unsubscribe: Unsubscribe | undefined
}

export interface Mail {
  readonly from: { name: string; address: string }
  readonly to: { name: string; address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly messageId: string
  readonly date: Date
  readonly headers: Readonly<Record<string, string>>
}

const maxSubjectLength = 200

/** Undefined for an address that is none. The same delivery makes the same mail, but for its date. */
export const buildMail = (outgoing: Outgoing, rules: MailRules, now: number): Mail | undefined => {
  const { deliveryId, notification, target } = outgoing
  if (!isMailAddress(target.address)) return undefined
  const { from } = rules
  const words = mailWords(target.locale)
  const transactional = notification.notificationType === 'TRANSACTIONAL'
  const link = transactional ? undefined : unsubscribeLink(rules.unsubscribe, notification.userId)
  // Whatever could begin another header is gone before a header is made of it.
  const title = oneLine(notification.title)
  const content = {
    title,
    lines: inLines(notification.body)
      .split('\n')
      .filter((line) => line.trim() !== ''),
    footer: transactional ? words.whyTransactional : words.why,
    unsubscribeLink: link,
    words,
  }
  return {
    from: { name: oneLine(from.name), address: from.address },
    to: { name: '', address: target.address },
    subject: cutTo(title, maxSubjectLength),
    text: renderText(content),
    html: renderHtml(content),
    messageId: `<${deliveryFingerprint(deliveryId)}@${from.domain}>`,
    date: new Date(now),
    headers: {
      // Nobody's out-of-office notice is an answer to this.
      'Auto-Submitted': 'auto-generated',
      'Content-Language': words.lang,
      ...(!transactional && { Precedence: 'bulk' }),
      ...(link !== undefined && unsubscribeHeaders(link)),
    },
  }
}

import { createHmac } from 'node:crypto'

/** Where a user stops e-mails: a URL with `{userId}`, and with `{signature}` where it acts without asking who that is. */
export interface Unsubscribe {
  readonly template: string
  readonly secret?: string | undefined
}

const asksForSignature = (template: string): boolean => template.includes('{signature}')

export const unsubscribeFault = ({ template, secret }: Unsubscribe): string | undefined => {
  const sample = fill({ template, secret: 'any' }, 'user')
  if (!URL.canParse(sample) || /[\s<>]/.test(template)) return 'a URL without spaces'
  if (!['https:', 'mailto:'].includes(new URL(sample).protocol)) return 'https:// or mailto:'
  if (!template.includes('{userId}')) return 'a URL with {userId}'
  if (asksForSignature(template) && secret === undefined) return 'no {signature}, or EMAIL_UNSUBSCRIBE_SECRET set'
  return undefined
}

export const unsubscribeLink = (rules: Unsubscribe | undefined, userId: string): string | undefined =>
  rules && fill(rules, userId)

/** RFC 8058: a mail program may unsubscribe by itself, with one POST. */
export const unsubscribeHeaders = (link: string): Record<string, string> => ({
  'List-Unsubscribe': `<${link}>`,
  ...(link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
})

const fill = ({ template, secret = '' }: Unsubscribe, userId: string): string =>
  template
    .replaceAll('{userId}', () => encodeURIComponent(Buffer.from(userId).toString()))
    .replaceAll('{signature}', () => createHmac('sha256', secret).update(userId).digest('base64url'))

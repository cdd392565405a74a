export const unsubscribeFault = (template: string): string | undefined => {
  const sample = fillUserId(template, 'user')
  if (!URL.canParse(sample) || /[\s<>]/.test(template)) return 'a URL without spaces'
  if (!['https:', 'mailto:'].includes(new URL(sample).protocol)) return 'https:// or mailto:'
  return template.includes('{userId}') ? undefined : 'a URL with {userId}'
}

export const unsubscribeLink = (template: string | undefined, userId: string): string | undefined =>
  template === undefined ? undefined : fillUserId(template, userId)

/** RFC 8058: a mail program may unsubscribe by itself, with one POST. */
export const unsubscribeHeaders = (link: string): Record<string, string> => ({
  'List-Unsubscribe': `<${link}>`,
  ...(link.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
})

const fillUserId = (template: string, userId: string): string =>
  template.replaceAll('{userId}', () => encodeURIComponent(Buffer.from(userId).toString()))

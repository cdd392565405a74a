/** HTML that was built here. Anything else is text, and escaped. */
export interface Html {
  readonly html: string
}

type Part = string | Html | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string)

/** A template in which whatever is filled in is escaped, unless it is such a template itself. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: strings.reduce((built, string, index) => `${built}${rendered(parts[index - 1] ?? '')}${string}`),
})

const rendered = (part: Part): string => {
  if (typeof part === 'string') return escapeHtml(part)
  return 'html' in part ? part.html : part.map((one) => one.html).join('')
}

export const smsContentTypes = ['application/json', 'application/x-www-form-urlencoded'] as const

export type SmsContentType = (typeof smsContentTypes)[number]

export const templateValues = ['to', 'text', 'title', 'body', 'type', 'notificationId', 'idempotencyKey'] as const

export type TemplateValues = Readonly<Record<(typeof templateValues)[number], string>>

const placeholder = /\{\{(\w+)\}\}/g

/** So that a value stays within the quotes, or the field, that the template puts it into. */
const escapes: Readonly<Record<SmsContentType, (value: string) => string>> = {
  'application/json': (value) => JSON.stringify(value).slice(1, -1),
  'application/x-www-form-urlencoded': (value) => new URLSearchParams({ '': value }).toString().slice(1),
}

export const renderBody = (template: string, contentType: SmsContentType, values: TemplateValues): string => {
  const escapeValue = escapes[contentType]
  return template.replace(placeholder, (whole, name: string) => (isValueName(name) ? escapeValue(values[name]) : whole))
}

/** What is wrong with a template, in the words of what was expected; found at the start, not with the first message. */
export const templateFault = (template: string, contentType: SmsContentType): string | undefined => {
  const names = [...template.matchAll(placeholder)].map(([, name]) => name as string)
  const stranger = names.find((name) => !isValueName(name))
  if (stranger !== undefined) return `only {{${templateValues.join('}}, {{')}}}`
  if (!names.includes('to') || !(names.includes('text') || names.includes('body'))) {
    return 'at least {{to}}, and {{text}} or {{body}}'
  }
  // A value that would break out shows whether every placeholder is where it is escaped for.
  const trial = '"},\n&x=\\'
  const rendered = renderBody(template, contentType, fill(trial))
  const read = contentType === 'application/json' ? stringsIn(rendered) : [...new URLSearchParams(rendered).values()]
  if (read === undefined) return 'JSON with placeholders between quotes, as SMS_CONTENT_TYPE says'
  const arrived = read.reduce((sum, value) => sum + value.split(trial).length - 1, 0)
  return arrived === names.length ? undefined : `placeholders only where ${contentType} has a value`
}

const isValueName = (name: string): name is keyof TemplateValues => (templateValues as readonly string[]).includes(name)

const fill = (value: string): TemplateValues =>
  Object.fromEntries(templateValues.map((name) => [name, value])) as Record<keyof TemplateValues, string>

/** The values of a JSON text; undefined if it is none. */
const stringsIn = (json: string): string[] | undefined => {
  const strings: string[] = []
  try {
    JSON.parse(json, (_, value: unknown) => {
      if (typeof value === 'string') strings.push(value)
      return value
    })
    return strings
  } catch {
    return undefined
  }
}

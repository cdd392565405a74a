// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but the line feed and the tab.
const controlsButLines = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
/** Of those, what JSON leaves as it is. */
const controlsInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Records come from anywhere: nothing in them may move the cursor, paint the terminal or turn its text around. */
export const printable = (text: string, maxLength = Number.POSITIVE_INFINITY): string => {
  const harmless = text.replaceAll(controls, ' ')
  return harmless.length <= maxLength ? harmless : `${harmless.slice(0, maxLength - 1)}…`
}

export const printableLines = (text: string): string => text.replaceAll(controlsButLines, ' ')

/** The same value for whoever parses it, and harmless for whoever looks at it. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    controlsInJson,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

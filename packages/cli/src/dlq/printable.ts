// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but the line feed and the tab.
const controlsButLines = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Dead letters come from anywhere: nothing in them may move the cursor or paint the terminal. */
export const printable = (text: string, maxLength = Number.POSITIVE_INFINITY): string => {
  const harmless = text.replaceAll(controls, ' ')
  return harmless.length <= maxLength ? harmless : `${harmless.slice(0, maxLength - 1)}…`
}

export const printableLines = (text: string): string => text.replaceAll(controlsButLines, ' ')

export const formatMoment = (ms: number): string =>
  Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'

export const formatCount = (count: number): string => count.toLocaleString('en-US')

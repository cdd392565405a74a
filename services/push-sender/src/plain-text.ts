/** Control characters, and those that turn the direction of a text or break its line where nobody sees it. */
const unwanted = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu
const unwantedInLine = /(?:(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069])+/gu
const lineBreak = /\r\n?|\u2028|\u2029/g

/** A text from outside as one line: whatever could begin a header, or another line, is a space. */
export const oneLine = (text: string): string => text.replace(unwanted, ' ').replace(/ {2,}/g, ' ').trim()

/** A text from outside whose lines stay lines. */
export const inLines = (text: string): string => text.replace(lineBreak, '\n').replace(unwantedInLine, ' ').trim()

/** At most so many UTF-16 units, and no half of a character at the end. */
export const cutTo = (text: string, length: number): string => {
  if (text.length <= length) return text
  const end = length - 1
  const half = /[\ud800-\udbff]/.test(text[end - 1] ?? '')
  return `${text.slice(0, half ? end - 1 : end)}…`
}

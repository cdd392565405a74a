/** Further off than any true event; a producer that counts in seconds or microseconds fills one index, not many. */
const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2099, 11)

/**
 * The index of a notification: that of the month, in UTC, in which its event happened. Not of the outcome, which may
 * come later: all outcomes of one notification have to meet in one index, since a version counts within its index.
 */
export const historyIndexOf = (alias: string, eventTimestamp: number): string => {
  const date = new Date(Math.min(Math.max(eventTimestamp, earliest), latest))
  const month = String(date.getUTCMonth() + 1).padStart(2, '0')
  return `${alias}-${date.getUTCFullYear()}.${month}`
}

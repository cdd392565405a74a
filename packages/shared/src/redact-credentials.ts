export const redacted = '[redacted]'

// Greedy up to the last "@" of the word, since a password that was not percent-encoded may contain "/" or "@" itself.
// Only where a word begins: from each of its letters, a long one would take minutes.
const userInfo = /(?<![a-z\d+.-])([a-z\d+.-]+:\/\/)\S*@/gi
const queryParameter = /([?&][\w-]*(?:password|secret|token|key)=)[^&\s]+/gi

/** Hides what a URL within a text may give away: the part before the host, and query parameters that hold secrets. */
export const redactCredentials = (text: string): string =>
  text.replace(userInfo, `$1${redacted}@`).replace(queryParameter, `$1${redacted}`)

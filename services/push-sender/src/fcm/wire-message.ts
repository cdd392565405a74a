import type { TokenMessage } from 'firebase-admin/messaging'

/** The request body of `messages:send`: what the SDK would make of the same message. */
export const wireBody = ({ android, ...message }: TokenMessage): string => {
  if (android === undefined) return JSON.stringify({ message })
  const { ttl, collapseKey, ...rest } = android
  return JSON.stringify({
    message: {
      ...message,
      android: {
        ...rest,
        ...(ttl !== undefined && { ttl: `${ttl / 1_000}s` }),
        ...(collapseKey !== undefined && { collapse_key: collapseKey }),
      },
    },
  })
}

/** Asks FCM whether it knows a token, with a message that nothing can be wrong with and nobody gets. */
export const dryRunBody = (token: string): string =>
  JSON.stringify({ validate_only: true, message: { token, data: { check: 'token' } } })

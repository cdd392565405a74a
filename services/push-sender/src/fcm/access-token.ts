import type { Credential } from 'firebase-admin/app'

export interface AccessTokens {
  get(): Promise<string>
  /** FCM did not like it: the next one is asked for anew. */
  forget(token: string): void
}

export interface AccessTokensOptions {
  /** A new one each time: a credential keeps its token, and would give a refused one again. */
  openCredential(): Credential
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** A token is replaced before it ends, so that a batch which is under way does not outlive it. */
const renewBeforeMs = 300_000

export const createAccessTokens = ({ openCredential, now = Date.now }: AccessTokensOptions): AccessTokens => {
  let credential = openCredential()
  let current: { token: string; renewAt: number } | undefined
  let asking: Promise<string> | undefined

  const ask = async (): Promise<string> => {
    const { access_token: token, expires_in: seconds } = await credential.getAccessToken()
    current = { token, renewAt: now() + Math.max(0, seconds * 1_000 - renewBeforeMs) }
    return token
  }
  return {
    get: () => {
      if (current !== undefined && now() < current.renewAt) return Promise.resolve(current.token)
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    forget: (token) => {
      if (current?.token !== token) return
      current = undefined
      credential = openCredential()
    },
  }
}

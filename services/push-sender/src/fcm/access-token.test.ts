import { describe, expect, it } from 'vitest'
import { createAccessTokens } from './access-token.ts'

const world = (lifetimeSeconds = 3_600) => {
  let asked = 0
  let time = 0
  let failure: Error | undefined
  /** As Google's library does it, a credential gives the token that it has until that ends. */
  const openCredential = () => {
    let kept: { access_token: string; until: number } | undefined
    return {
      getAccessToken: async () => {
        if (kept === undefined || time >= kept.until - 300_000) {
          asked++
          if (failure) throw failure
          kept = { access_token: `token-${asked}`, until: time + lifetimeSeconds * 1_000 }
        }
        return { access_token: kept.access_token, expires_in: (kept.until - time) / 1_000 }
      },
    }
  }
  const tokens = createAccessTokens({ openCredential, now: () => time })
  return {
    tokens,
    asked: () => asked,
    pass: (ms: number) => {
      time += ms
    },
    fail: (error: Error | undefined) => {
      failure = error
    },
  }
}

describe('access tokens', () => {
  it('are asked for once, however many want one', async () => {
    const { tokens, asked } = world()
    expect(await Promise.all([tokens.get(), tokens.get()])).toEqual(['token-1', 'token-1'])
    await tokens.get()
    expect(asked()).toBe(1)
  })

  it('are renewed before they end', async () => {
    const { tokens, pass } = world()
    await tokens.get()
    pass(3_600_000 - 300_000 - 1)
    expect(await tokens.get()).toBe('token-1')
    pass(1)
    expect(await tokens.get()).toBe('token-2')
  })

  it('are asked for anew when FCM refuses one, but not once more for each message that it refused', async () => {
    const { tokens } = world()
    const refused = await tokens.get()
    tokens.forget(refused)
    expect(await tokens.get()).toBe('token-2')
    tokens.forget(refused)
    expect(await tokens.get()).toBe('token-2')
  })

  it('are asked for again after a failure', async () => {
    const { tokens, fail } = world()
    fail(new Error('metadata server is away'))
    await expect(tokens.get()).rejects.toThrow('away')
    fail(undefined)
    expect(await tokens.get()).toBe('token-2')
  })
})

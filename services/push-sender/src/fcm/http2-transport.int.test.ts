import { randomUUID } from 'node:crypto'
import { createFcmControl, type FcmControl } from '@dropbell/local-stack/fcm-simulator/control-client'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { defineConfig, loadConfig } from '@dropbell/shared/config'
import { type CapturedLog, captureLog } from '@dropbell/shared/testing/capture-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAccessTokens } from './access-token.ts'
import { fcmConfig } from './config.ts'
import { createHttp2Transport } from './http2-transport.ts'
import type { FcmTransport, TransportResult } from './transport.ts'

let transport: FcmTransport
let fcm: FcmControl
let captured: CapturedLog
let issue: () => Promise<{ access_token: string; expires_in: number }>

beforeEach(() => {
  const projectId = `p-${randomUUID()}`
  let issued = 0
  issue = async () => ({ access_token: `access-${++issued}`, expires_in: 3_600 })
  captured = captureLog()
  fcm = createFcmControl(testEnv().FCM_ENDPOINT, projectId)
  transport = createHttp2Transport({
    access: { origin: testEnv().FCM_ENDPOINT, projectId },
    accessTokens: createAccessTokens({ openCredential: () => ({ getAccessToken: () => issue() }) }),
    config: loadConfig(defineConfig(fcmConfig), {}),
    log: captured.log,
    onSessionEvent: () => {},
  })
})
afterEach(() => transport.close())

const send = async (token: string, deadlineMs = 3_000): Promise<TransportResult | undefined> => {
  const results: TransportResult[] = []
  const settle = (_: number, result: TransportResult) => void results.push(result)
  const deadlineAt = performance.now() + deadlineMs
  await transport.send([{ token, data: {} }], { deadlineAt, settle, holdBack: () => undefined })
  return results[0]
}

describe('the access token', () => {
  it('is replaced when FCM refuses it, and the message may be sent again', async () => {
    await fcm.script({ do: 'refuse', code: 'UNAUTHENTICATED', times: 1 })
    expect(await send('device-1')).toMatchObject({ kind: 'refused', code: 'UNAUTHENTICATED', retryable: true })
    expect(await send('device-1')).toMatchObject({ kind: 'accepted' })
  })

  it('that cannot be had is logged, and nothing is sent', async () => {
    issue = () => Promise.reject(new Error('the key was revoked'))
    expect(await send('device-1')).toEqual({ kind: 'not-taken', code: 'NO_ACCESS_TOKEN', latencyMs: 0 })
    expect(captured.lines()).toContainEqual(
      expect.objectContaining({ level: 'error', err: expect.objectContaining({ message: 'the key was revoked' }) }),
    )
    expect((await fcm.report()).requests).toBe(0)
  })

  it('that does not come in time does not hold anybody up', async () => {
    issue = () => new Promise(() => {})
    expect(await send('device-1', 100)).toMatchObject({ kind: 'not-taken', code: 'NO_ACCESS_TOKEN' })
  })
})

import { defineConfig, describeConfig, loadConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { fcmConfig } from './config.ts'
import { fcmAccess, transportOf } from './fcm-access.ts'

const schema = defineConfig(fcmConfig)
const load = (env: Record<string, string>) => loadConfig(schema, env)
const transport = (env: Record<string, string>) => transportOf(load(env), fcmAccess(load(env)))

describe('the configuration of FCM', () => {
  it('needs nothing, and then sends nothing', () => {
    expect(transport({})).toBe('simulated')
  })

  it('sends over http2 where there is somebody to send to, unless told otherwise', () => {
    const simulator = { FCM_ENDPOINT: 'http://127.0.0.1:8085/' }
    expect(transport(simulator)).toBe('http2')
    expect(fcmAccess(load(simulator))).toMatchObject({ origin: 'http://127.0.0.1:8085', projectId: 'dropbell' })
    expect(transport({ ...simulator, FCM_TRANSPORT: 'sdk' })).toBe('sdk')
    expect(transport({ ...simulator, FCM_TRANSPORT: 'simulated' })).toBe('simulated')
  })

  it.each([
    ['real credentials for a simulator', { FCM_ENDPOINT: 'http://x', FCM_CREDENTIALS_FILE: '/key.json' }],
    ['a transport to nobody', { FCM_TRANSPORT: 'http2' }],
    ['two sets of credentials', { FCM_CREDENTIALS_FILE: '/key.json', FCM_APPLICATION_DEFAULT_CREDENTIALS: '1' }],
    ['credentials of a machine that says no project', { FCM_APPLICATION_DEFAULT_CREDENTIALS: '1' }],
    ['a type there is not', { FCM_DATA_ONLY_TYPES: 'PRICE_DROP,PRICE_RISE' }],
    ['no budget', { FCM_MAX_PER_SECOND: '0' }],
  ])('refuses %s', (_, env) => {
    expect(() => load(env)).toThrow('FCM_')
  })

  it('describes every variable', () => {
    expect(describeConfig(schema).filter((row) => row.description === '' || !row.expected)).toEqual([])
  })
})

import { defineConfig, loadConfig, redactConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { parseAuthHeader } from './auth-header.ts'
import { smsConfig } from './config.ts'

const schema = defineConfig(smsConfig)
const load = (env: Record<string, string>) => loadConfig(schema, env)

describe('the configuration of text messages', () => {
  it('needs nothing, and then sends nothing', () => {
    expect(load({}).SMS_GATEWAY_URL).toBeUndefined()
  })

  it('takes credentials in whichever header, and does not print them', () => {
    expect(parseAuthHeader('Bearer abc')).toEqual({ name: 'authorization', value: 'Bearer abc' })
    expect(parseAuthHeader('X-Api-Key: abc:def')).toEqual({ name: 'x-api-key', value: 'abc:def' })
    const config = load({ SMS_GATEWAY_URL: 'https://sms.example.com/send', SMS_AUTH_HEADER: 'Bearer abc' })
    expect(JSON.stringify(redactConfig(schema, config))).not.toContain('abc')
  })

  it('takes credentials without TLS on this machine only', () => {
    const SMS_AUTH_HEADER = 'Bearer abc'
    expect(() => load({ SMS_AUTH_HEADER, SMS_GATEWAY_URL: 'http://127.0.0.1:8086/' })).not.toThrow()
    expect(() => load({ SMS_AUTH_HEADER, SMS_GATEWAY_URL: 'http://sms.example.com/' })).toThrow('SMS_GATEWAY_URL')
    expect(() => load({ SMS_GATEWAY_URL: 'http://sms-simulator:8086/' })).not.toThrow()
  })

  it.each([
    ['SMS_BODY_TEMPLATE', { SMS_BODY_TEMPLATE: '{"to":{{to}},"text":"{{text}}"}' }],
    ['SMS_BODY_TEMPLATE', { SMS_CONTENT_TYPE: 'application/x-www-form-urlencoded' }],
    ['SMS_CONTENT_TYPE', { SMS_CONTENT_TYPE: 'text/xml' }],
    ['SMS_AUTH_HEADER', { SMS_AUTH_HEADER: 'Bearer a\r\nX-Evil: 1' }],
    ['SMS_IDEMPOTENCY_HEADER', { SMS_IDEMPOTENCY_HEADER: 'Idempotency Key' }],
  ])('refuses a %s: %o', (name, env) => {
    expect(() => load(env as Record<string, string>)).toThrow(name)
  })
})

import { defineConfig, loadConfig, redactConfig } from '@dropbell/shared/config'
import { describe, expect, it } from 'vitest'
import { emailConfig } from './config.ts'

const schema = defineConfig(emailConfig)
const load = (env: Record<string, string>) => loadConfig(schema, env)
const EMAIL_FROM = 'Dropbell <news@example.com>'

describe('the configuration of e-mails', () => {
  it('needs nothing, and then sends nothing', () => {
    expect(load({}).SMTP_URL).toBeUndefined()
  })

  it('does not print a password', () => {
    const config = load({ EMAIL_FROM, SMTP_URL: 'smtps://user:hush@mail.example.com' })
    expect(JSON.stringify(redactConfig(schema, config))).not.toContain('hush')
  })

  it('takes credentials without TLS on this machine only', () => {
    const plain = { EMAIL_FROM, SMTP_ALLOW_PLAINTEXT: 'true' }
    expect(() => load({ ...plain, SMTP_URL: 'smtp://user:hush@127.0.0.1:1025' })).not.toThrow()
    expect(() => load({ ...plain, SMTP_URL: 'smtp://mailpit:1025' })).not.toThrow()
    expect(() => load({ ...plain, SMTP_URL: 'smtps://user:hush@mail.example.com' })).not.toThrow()
    expect(() => load({ ...plain, SMTP_URL: 'smtp://user:hush@mail.example.com' })).toThrow('SMTP_ALLOW_PLAINTEXT')
  })

  it.each([
    ['EMAIL_FROM', { SMTP_URL: 'smtps://mail.example.com' }],
    ['EMAIL_FROM', { EMAIL_FROM: 'nobody' }],
    ['SMTP_URL', { EMAIL_FROM, SMTP_URL: 'https://mail.example.com' }],
    ['SMTP_URL', { EMAIL_FROM, SMTP_URL: 'smtp://mail.example.com?tls.rejectUnauthorized=false' }],
    ['EMAIL_UNSUBSCRIBE_URL', { EMAIL_UNSUBSCRIBE_URL: 'http://example.com/{userId}' }],
    ['EMAIL_UNSUBSCRIBE_URL', { EMAIL_UNSUBSCRIBE_URL: 'https://example.com/stop' }],
    ['EMAIL_UNSUBSCRIBE_SECRET', { EMAIL_UNSUBSCRIBE_URL: 'https://example.com/{userId}/{signature}' }],
    ['EMAIL_UNSUBSCRIBE_URL', { EMAIL_UNSUBSCRIBE_URL: 'https://example.com/{userId}>\r\nBcc: x' }],
  ])('refuses a %s: %o', (name, env) => {
    expect(() => load(env as Record<string, string>)).toThrow(name)
  })
})

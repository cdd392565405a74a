import { describe, expect, it } from 'vitest'
import { readSmtpError, type SmtpError } from './read-smtp-error.ts'

const read = (error: SmtpError, { begun = true, written = false, signal = new AbortController().signal } = {}) =>
  readSmtpError(error, { begun, written, latencyMs: 12, signal })

describe('an error of SMTP', () => {
  it.each([421, 450, 451, 452])('%i may pass', (responseCode) => {
    expect(read({ code: 'EENVELOPE', command: 'RCPT TO', responseCode })).toEqual({
      ...{ kind: 'refused', code: `SMTP_${responseCode}`, retryable: true, latencyMs: 12 },
    })
  })

  it.each([550, 552, 554])('%i is final, also as the reply to the final dot', (responseCode) => {
    const final = { kind: 'refused', code: `SMTP_${responseCode}`, retryable: false, latencyMs: 12 }
    expect(read({ code: 'EENVELOPE', responseCode })).toEqual(final)
    expect(read({ code: 'EMESSAGE', responseCode }, { written: true })).toEqual(final)
  })

  it.each([
    ['before anything is said about the mail', { code: 'ESOCKET' }],
    ['with a greeting that sends us away', { code: 'EPROTOCOL', responseCode: 554 }],
    ['with TLS', { code: 'ETLS' }],
    ['with the name of the server', { code: 'EDNS' }],
  ])('that comes %s: not taken', (_, error) => {
    expect(read(error, { begun: false })).toEqual({ kind: 'not-taken', code: 'CONNECTION_FAILED', latencyMs: 12 })
  })

  it.each([{ code: 'EAUTH', responseCode: 535 }, { code: 'EAUTH', responseCode: 454 }, { responseCode: 530 }])(
    '%o: our credentials, and not taken',
    (error) => {
      expect(read(error)).toMatchObject({ kind: 'not-taken', code: 'AUTH_FAILED' })
    },
  )

  it('that comes before the final dot: not taken; after it, nobody knows', () => {
    const lost = { code: 'ECONNECTION', command: 'CONN' }
    expect(read(lost)).toMatchObject({ kind: 'not-taken', code: 'CONNECTION_FAILED' })
    expect(read(lost, { written: true })).toMatchObject({ kind: 'unknown', code: 'CONNECTION_LOST' })
  })

  it('that is our own haste: by whether it was written', () => {
    const signal = AbortSignal.abort()
    expect(read({ code: 'EABORT' }, { signal })).toMatchObject({ kind: 'not-taken', code: 'NOT_SENT_IN_TIME' })
    expect(read({ code: 'EABORT' }, { signal, written: true })).toMatchObject({
      kind: 'unknown',
      code: 'DEADLINE_EXCEEDED',
    })
  })

  it('that nodemailer found by itself: final', () => {
    expect(read({ code: 'EMESSAGE' })).toMatchObject({ kind: 'refused', code: 'MESSAGE_TOO_LARGE', retryable: false })
    expect(read({ code: 'EENVELOPE' })).toMatchObject({ kind: 'refused', code: 'INVALID_ADDRESS', retryable: false })
  })
})

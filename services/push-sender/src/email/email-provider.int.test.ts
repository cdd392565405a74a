import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SmtpBehaviour } from '@dropbell/local-stack/smtp-sink/control-client'
import { type RunningSmtpSink, startSmtpSink } from '@dropbell/local-stack/smtp-sink/start-smtp-sink'
import { closedPort, startSilentPeer } from '@dropbell/shared/testing/tcp-peer'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SendResult } from '../provider.ts'
import { describeProviderWithPeer } from '../testing/provider-contract.ts'
import { type OutgoingChanges, sampleOutgoing } from '../testing/sample-outgoing.ts'
import { localhostCertificate } from './testing/localhost-certificate.ts'
import { newMailAddress, type OpenEmail, type OpenEmailOptions, openEmail } from './testing/open-email.ts'

const inTime = { deadlineMs: 5_000 }
const mailTo = (address: string, notification: OutgoingChanges['notification'] = {}) =>
  sampleOutgoing({ notification, target: { address } })

describeProviderWithPeer('EMAIL', async () => {
  const { provider, sink, close } = openEmail({ env: { SMTP_MAX_CONNECTIONS: '20' } })
  return {
    ...{ provider, close, newOutgoing: () => mailTo(newMailAddress()) },
    receivedBy: async (address) => (await sink.countsOf(address)).accepted,
    silence: () => sink.script({ do: 'silence', at: 'data', accepted: true }),
  }
})

const opened: OpenEmail[] = []
const open = (options?: OpenEmailOptions): OpenEmail => {
  const email = openEmail(options)
  opened.push(email)
  return email
}
afterEach(async () => {
  for (const email of opened.splice(0)) await email.close()
})

const refused = (code: string, retryable: boolean) => ({
  kind: 'refused',
  code,
  retryable,
  latencyMs: expect.any(Number),
})
const notTaken = (code: string) => ({ kind: 'not-taken', code, latencyMs: expect.any(Number) })
const unknown = (code: string) => ({ kind: 'unknown', code, latencyMs: expect.any(Number) })

describe('what a mail server does', () => {
  it.each<[SmtpBehaviour, object]>([
    [{ do: 'refuse', at: 'mail', code: 451 }, refused('SMTP_451', true)],
    [{ do: 'refuse', at: 'mail', code: 550 }, refused('SMTP_550', false)],
    [{ do: 'refuse', at: 'rcpt', code: 450 }, refused('SMTP_450', true)],
    [{ do: 'refuse', at: 'rcpt', code: 550 }, refused('SMTP_550', false)],
    [{ do: 'refuse', at: 'data', code: 452 }, refused('SMTP_452', true)],
    [{ do: 'refuse', at: 'data', code: 554 }, refused('SMTP_554', false)],
    [{ do: 'refuse', at: 'rcpt', code: 421 }, refused('SMTP_421', true)],
    [{ do: 'refuse', at: 'mail', code: 530 }, notTaken('AUTH_FAILED')],
    [{ do: 'drop', at: 'mail' }, notTaken('CONNECTION_FAILED')],
    [{ do: 'drop', at: 'rcpt' }, notTaken('CONNECTION_FAILED')],
    [{ do: 'drop', at: 'data', accepted: true }, unknown('CONNECTION_LOST')],
    [{ do: 'drop', at: 'data', accepted: false }, unknown('CONNECTION_LOST')],
  ])('%o', async (behaviour, expected) => {
    const { provider, sink } = open()
    await sink.script(behaviour)
    const address = newMailAddress()
    expect(await provider.send([mailTo(address)], inTime)).toEqual([expected])
    // Nor does it come again by itself.
    const { accepted, requests } = await sink.countsOf(address)
    expect(requests).toBeLessThanOrEqual(1)
    expect(accepted).toBe(behaviour.do === 'drop' && behaviour.accepted ? 1 : 0)
  })

  it('has no bearing on the next mail', async () => {
    const { provider, sink } = open({ env: { SMTP_MAX_CONNECTIONS: '1' } })
    const steps: SmtpBehaviour[] = [
      { do: 'accept', times: 1 },
      // On a connection that was good before, which is where nodemailer's pool would send it again.
      { do: 'drop', at: 'rcpt', times: 1 },
      { do: 'refuse', at: 'rcpt', code: 550, times: 1 },
      { do: 'drop', at: 'data', accepted: true, times: 1 },
    ]
    await sink.script(steps)
    const batch = Array.from({ length: 6 }, () => mailTo(newMailAddress()))
    const results = await provider.send(batch, inTime)
    const kinds = ['accepted', 'not-taken', 'refused', 'unknown', 'accepted', 'accepted']
    expect(results.map(({ kind }) => kind)).toEqual(kinds)
    const counts = await Promise.all(batch.map(({ target }) => sink.countsOf(target.address)))
    expect(counts.map(({ requests }) => requests)).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('has not taken a mail that it never got all of', async () => {
    const { provider, sink } = open()
    await sink.script({ do: 'drop', at: 'body' })
    const body = '무척 긴 이야기입니다. '.repeat(300_000)
    expect(await provider.send([mailTo(newMailAddress(), { body })], inTime)).toEqual([notTaken('CONNECTION_FAILED')])
  })

  it('leaves us waiting before the mail was written: not taken', async () => {
    const { provider, sink } = open()
    await sink.script({ do: 'silence', at: 'rcpt' })
    const results = await provider.send([mailTo(newMailAddress())], { deadlineMs: 500 })
    expect(results).toEqual([notTaken('NOT_SENT_IN_TIME')])
  })
})

describe('a mail server that cannot be used', () => {
  const sendTo = (env: Record<string, string>) => open({ env }).provider.send([mailTo(newMailAddress())], inTime)

  it('has not taken anything: nobody there', async () => {
    expect(await sendTo({ SMTP_URL: `smtp://127.0.0.1:${await closedPort()}` })).toEqual([
      notTaken('CONNECTION_FAILED'),
    ])
  })

  it('has not taken anything: no greeting', async () => {
    const peer = await startSilentPeer()
    const env = { SMTP_URL: `smtp://127.0.0.1:${peer.port}`, SMTP_CONNECT_TIMEOUT_MS: '200' }
    expect(await sendTo(env)).toEqual([notTaken('CONNECTION_FAILED')])
    await peer.close()
  })

  it('has not taken anything: no TLS, and we insist', async () => {
    expect(await sendTo({ SMTP_ALLOW_PLAINTEXT: 'false' })).toEqual([notTaken('CONNECTION_FAILED')])
  })

  it('has not taken anything, and the operator hears of it: wrong password', async () => {
    const { provider, logLines } = open({ password: 'wrong' })
    expect(await provider.send([mailTo(newMailAddress())], inTime)).toEqual([notTaken('AUTH_FAILED')])
    expect(logLines().filter(({ level }) => level === 'error')).toMatchObject([
      { channel: 'EMAIL', kind: 'AUTH_FAILED', records: 1 },
    ])
  })

  it('opens the breaker, which one mail closes again', async () => {
    const { provider, sink } = open({ env: { SMTP_BREAKER_FAILURES: '2', SMTP_BREAKER_RESET_MS: '200' } })
    await sink.script({ do: 'drop', at: 'rcpt', times: 2 })
    await provider.send([mailTo(newMailAddress()), mailTo(newMailAddress())], inTime)
    expect(await provider.reserve(5, 'promotional')).toMatchObject({ granted: 0 })
    await vi.waitUntil(async () => (await provider.reserve(5, 'promotional')).granted === 1, { timeout: 5_000 })
    await provider.send([mailTo(newMailAddress())], inTime)
    expect(await provider.reserve(5, 'promotional')).toEqual({ granted: 5, retryAfterMs: 0 })
  })
})

describe('TLS', () => {
  let sink: RunningSmtpSink
  let directory: string
  const startSink = async () => {
    sink = await startSmtpSink({ host: '127.0.0.1', port: 0, controlPort: 0, tls: localhostCertificate })
    directory = await mkdtemp(join(tmpdir(), 'dropbell-smtp-'))
    await writeFile(join(directory, 'ca.pem'), localhostCertificate.cert)
    return { url: sink.url, controlUrl: sink.controlUrl }
  }
  afterEach(async () => {
    await sink.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('is what a mail goes over', async () => {
    const where = await startSink()
    const env = { SMTP_ALLOW_PLAINTEXT: 'false', SMTP_CA_FILE: join(directory, 'ca.pem') }
    const email = open({ sink: where, env })
    const address = newMailAddress()
    expect(await email.provider.send([mailTo(address)], inTime)).toMatchObject([{ kind: 'accepted' }])
    expect(await email.sink.messages(address)).toMatchObject([{ secure: true }])
  })

  it('is not what it goes over if the certificate is not to be trusted', async () => {
    const email = open({ sink: await startSink(), env: { SMTP_ALLOW_PLAINTEXT: 'false' } })
    expect(await email.provider.send([mailTo(newMailAddress())], inTime)).toEqual([notTaken('CONNECTION_FAILED')])
  })
})

describe('a mail', () => {
  const sent = async (outgoing: ReturnType<typeof mailTo>) => {
    const { provider, sink } = open()
    const [result] = await provider.send([outgoing], inTime)
    expect(result).toMatchObject({ kind: 'accepted' } satisfies Partial<SendResult>)
    const [mail] = await sink.messages()
    if (mail === undefined) throw new Error('no mail arrived')
    const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value)
    return { ...mail, header }
  }

  it('arrives in HTML and in text, and can be unsubscribed from', async () => {
    const address = newMailAddress()
    const mail = await sent(
      mailTo(address, { title: '가격이 떨어졌어요!', body: '에어 러닝 <운동화>', userId: 'user/1' }),
    )
    expect(mail).toMatchObject({
      subject: '가격이 떨어졌어요!',
      envelope: { from: 'dropbell@example.com', to: [address] },
    })
    expect(mail.text).toContain('에어 러닝 <운동화>')
    expect(mail.html).toContain('에어 러닝 &lt;운동화&gt;')
    expect(mail.header('list-unsubscribe')).toEqual(['<https://example.com/unsubscribe?user=user%2F1>'])
    expect(mail.header('list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click'])
    expect(mail.header('message-id')).toEqual([expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/)])
    expect(mail.header('auto-submitted')).toEqual(['auto-generated'])
    expect(mail.header('x-mailer')).toEqual([])
  })

  it.each(['\r\n', '\n', '\r', '\u2028', '\u0085', '\u0000\r\n '])(
    'has no header more for a title that brings one along, after %j',
    async (lineBreak) => {
      const title = `Sale${lineBreak}Bcc: eve@example.net${lineBreak}X-Evil: 1${lineBreak}${lineBreak}<b>body</b>`
      const plain = await sent(mailTo(newMailAddress(), { title: 'Sale' }))
      const mail = await sent(mailTo(newMailAddress(), { title, body: `.\r\n.\r\nRCPT TO:<eve@example.net>` }))
      expect(mail.headers.map(({ key }) => key)).toEqual(plain.headers.map(({ key }) => key))
      expect(mail.envelope.to).toHaveLength(1)
      expect(mail.subject).toMatch(/^Sale Bcc: eve@example\.net X-Evil: 1 <b>body<\/b>$/)
      expect(mail.html).not.toContain('<b>body</b>')
    },
  )

  it('goes to one address, or to none', async () => {
    const { provider, sink } = open()
    const hostile = [
      'a@example.org, eve@example.net',
      'a@example.org>\r\nRCPT TO:<eve@example.net',
      'a@example.org\r\nBcc: e@x.net',
    ]
    expect(
      await provider.send(
        hostile.map((address) => mailTo(address)),
        inTime,
      ),
    ).toEqual(hostile.map(() => refused('INVALID_ADDRESS', false)))
    expect(await sink.report()).toMatchObject({ requests: 0 })
  })

  it('leaves neither address nor password in the log', async () => {
    const email = open({ password: 'wrong' })
    await email.provider.send([mailTo('kim@example.org')], inTime)
    const other = open()
    await other.sink.script({ do: 'refuse', at: 'rcpt', code: 550 })
    await other.provider.send([mailTo('kim@example.org')], inTime)
    expect(JSON.stringify([...email.logLines(), ...other.logLines()])).not.toMatch(/kim@|"wrong"/)
  })
})

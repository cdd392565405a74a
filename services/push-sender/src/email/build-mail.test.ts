import { describe, expect, it } from 'vitest'
import { sampleOutgoing } from '../testing/sample-outgoing.ts'
import { buildMail, type Mail } from './build-mail.ts'
import type { Unsubscribe } from './unsubscribe.ts'

const rules = {
  from: { name: 'Dropbell', address: 'news@example.com', domain: 'example.com' },
  unsubscribe: { template: 'https://example.com/stop?user={userId}' },
}
const address = 'kim@example.org'
const build = (
  changes: Parameters<typeof sampleOutgoing>[0] = {},
  { unsubscribe }: { unsubscribe?: Unsubscribe } = rules,
) =>
  buildMail(
    { ...sampleOutgoing({ ...changes, target: { address, ...changes.target } }), deliveryId: 'delivery-1' },
    { ...rules, unsubscribe },
    0,
  ) as Mail

describe('a mail', () => {
  it('says the same in HTML and in text', () => {
    const mail = build({ notification: { title: 'Cheaper!', body: 'Shoes: -12%\nToday only' } })
    expect(mail.subject).toBe('Cheaper!')
    expect(mail.text).toMatch(/^Cheaper!\n\nShoes: -12%\nToday only\n/)
    for (const part of ['Cheaper!</h1>', '>Shoes: -12%</p>', '>Today only</p>']) expect(mail.html).toContain(part)
  })

  it('escapes whatever comes from events and names', () => {
    const evil = `<script>alert("1")</script>&'`
    const { html, text } = build({
      notification: { title: evil, body: `<img src=x onerror=alert(1)>\n${evil}`, userId: '"><b>' },
    })
    expect(html).not.toMatch(/<script|<img|<b>/)
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;</h1>')
    expect(html).toContain('href="https://example.com/stop?user=%22%3E%3Cb%3E"')
    expect(text).toContain(evil)
  })

  it('has a subject of one line, whatever the title is', () => {
    const { subject } = build({ notification: { title: 'Hi\r\nBcc: eve@example.com\r\n\r\n<p>' } })
    expect(subject).toBe('Hi Bcc: eve@example.com <p>')
    expect(build({ notification: { title: '가'.repeat(500) } }).subject).toHaveLength(200)
  })

  it('speaks the language of who gets it', () => {
    expect(build().html).toContain('<html lang="ko">')
    expect(build({ target: { locale: 'ko-KR' } }).headers).toMatchObject({ 'Content-Language': 'ko' })
    expect(build({ target: { locale: 'en-US' } }).text).toContain(
      'Stop these e-mails: https://example.com/stop?user=user-1',
    )
  })

  it('can be unsubscribed from, at once over https', () => {
    expect(build().headers).toMatchObject({
      'List-Unsubscribe': '<https://example.com/stop?user=user-1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      Precedence: 'bulk',
    })
    const { headers } = build({}, { unsubscribe: { template: 'mailto:stop@example.com?subject={userId}' } })
    expect(headers['List-Unsubscribe']).toBe('<mailto:stop@example.com?subject=user-1>')
    expect(headers).not.toHaveProperty('List-Unsubscribe-Post')
    expect(build({}, {}).headers).not.toHaveProperty('List-Unsubscribe')
  })

  it('can be unsubscribed from by who got it alone, with a signature', () => {
    const template = 'https://example.com/stop?user={userId}&signature={signature}'
    const signatureOf = (link: string) => link.split('signature=')[1]
    const linkFor = (userId: string, secret: string) =>
      build({ notification: { userId } }, { unsubscribe: { template, secret } }).headers['List-Unsubscribe'] ?? ''
    // echo -n user-1 | openssl dgst -sha256 -hmac key -binary | basenc --base64url | tr -d =
    expect(linkFor('user-1', 'key')).toBe(
      '<https://example.com/stop?user=user-1&signature=ijLmgHSUiv0NN9Whtr4yku7qfUCW0o3BCqn1P3pEixM>',
    )
    expect(linkFor('user-1', 'key')).not.toBe(linkFor('user-1', 'other'))
    expect(signatureOf(linkFor('user-1', 'key'))).not.toBe(signatureOf(linkFor('user-2', 'key')))
  })

  it('cannot be unsubscribed from if it is transactional', () => {
    const { headers, html } = build({ notification: { notificationType: 'TRANSACTIONAL' } })
    expect(Object.keys(headers)).toEqual(['Auto-Submitted', 'Content-Language'])
    expect(html).not.toContain('example.com/stop')
  })

  it('has the same id in every attempt, which says nothing about the delivery', () => {
    const { messageId } = build()
    expect(messageId).toBe(build().messageId)
    expect(messageId).toMatch(/^<[0-9a-f]{32}@example\.com>$/)
  })

  it('is none to what is no address', () => {
    expect(build({ target: { address: 'kim@example.org\r\nBcc: eve@example.com' } })).toBeUndefined()
  })
})

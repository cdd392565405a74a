import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface, type Interface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testEnv } from '../testing/test-env.ts'
import { createSmtpControl, type SmtpBehaviour, type SmtpControl, smtpUrlOf } from './control-client.ts'

let control: SmtpControl
let socket: Socket
let lines: AsyncIterator<string>
let reader: Interface

beforeEach(async () => {
  control = createSmtpControl(testEnv().SMTP_SINK_URL, randomUUID())
  const { hostname, port } = new URL(testEnv().SMTP_URL)
  socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // seen by whoever reads
  reader = createInterface({ input: socket })
  lines = reader[Symbol.asyncIterator]()
  await once(socket, 'connect')
  await replyTo()
  await replyTo('EHLO test')
})
afterEach(() => {
  reader.close()
  socket.destroy()
})

/** The code of the reply, or nothing if the connection ended. */
const replyTo = async (command?: string): Promise<string | undefined> => {
  if (command !== undefined) socket.write(`${command}\r\n`)
  for (;;) {
    const line = await lines.next().catch(() => undefined) // cut off
    if (line === undefined || line.done) return undefined
    if (/^\d{3} /.test(line.value)) return line.value.slice(0, 3)
  }
}

const logIn = (password = 'secret') =>
  replyTo(`AUTH PLAIN ${Buffer.from(`\0${control.account}\0${password}`).toString('base64')}`)

/** The replies, until one is not what a mail needs to go on. */
const sendMail = async (to: string): Promise<(string | undefined)[]> => {
  const replies: (string | undefined)[] = []
  const mail = ['From: a@example.com', 'Subject: =?utf-8?B?7JWI64WV?=', '', '..dotted', '.'].join('\r\n')
  for (const command of ['MAIL FROM:<a@example.com>', `RCPT TO:<${to}>`, 'DATA', mail]) {
    const reply = await replyTo(command)
    replies.push(reply)
    if (!reply || reply >= '400') break
  }
  return replies
}

describe('the SMTP sink', () => {
  it('takes a mail, and shows it as it came', async () => {
    expect(await logIn()).toBe('235')
    expect(await sendMail('kim@example.org')).toEqual(['250', '250', '354', '250'])
    expect(await control.messages('kim@example.org')).toMatchObject([
      {
        envelope: { from: 'a@example.com', to: ['kim@example.org'] },
        subject: '안녕',
        text: expect.stringMatching(/^\.dotted\s*$/),
        headers: [{ key: 'from' }, { key: 'subject' }],
        source: expect.stringContaining('Subject: =?utf-8?B?7JWI64WV?='),
        secure: false,
      },
    ])
    expect(await control.countsOf('kim@example.org')).toEqual({ requests: 1, accepted: 1 })
  })

  it('refuses a wrong password', async () => {
    expect(await logIn('wrong')).toBe('535')
    expect(smtpUrlOf('smtp://127.0.0.1:1025', 'a b', 'wrong')).toBe('smtp://a%20b:wrong@127.0.0.1:1025')
  })

  it.each<[SmtpBehaviour, (string | undefined)[], number]>([
    [{ do: 'refuse', at: 'mail', code: 451 }, ['451'], 0],
    [{ do: 'refuse', at: 'rcpt', code: 550 }, ['250', '550'], 0],
    [{ do: 'refuse', at: 'data', code: 554 }, ['250', '250', '354', '554'], 0],
    [{ do: 'drop', at: 'rcpt' }, ['250', undefined], 0],
    [{ do: 'drop', at: 'data', accepted: false }, ['250', '250', '354', undefined], 0],
    [{ do: 'drop', at: 'data', accepted: true }, ['250', '250', '354', undefined], 1],
  ])('does as it is told: %o', async (behaviour, replies, accepted) => {
    await logIn()
    await control.script(behaviour)
    expect(await sendMail('kim@example.org')).toEqual(replies)
    expect((await control.countsOf('kim@example.org')).accepted).toBe(accepted)
  })

  it('refuses one recipient, once, and then takes the mail on the same connection', async () => {
    await logIn()
    await control.script({ do: 'refuse', at: 'rcpt', code: 450, times: 1 }, 'kim@example.org')
    expect((await sendMail('kim@example.org')).at(-1)).toBe('450')
    await replyTo('RSET')
    expect((await sendMail('kim@example.org')).at(-1)).toBe('250')
  })
})

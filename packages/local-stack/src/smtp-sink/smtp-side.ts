import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Accounts } from '../simulator/control-routes.ts'
import type { SmtpBehaviour } from './behaviour.ts'
import type { SunkMail } from './sunk-mail.ts'

export interface SmtpSideOptions {
  accounts: Accounts<SmtpBehaviour, SunkMail>
  /** Offers STARTTLS with it. */
  tls?: { key: string; cert: string } | undefined
}

type Reply = (error?: Error | null) => void
type Stage = 'mail' | 'rcpt' | 'body' | 'data'

/** The account of whoever does not log in. */
export const defaultAccount = 'dropbell'
/** Any other password is right. */
const wrongPassword = 'wrong'
const maxMailBytes = 10_000_000

const proceed: SmtpBehaviour = { do: 'accept' }

export const createSmtpSide = ({ accounts, tls }: SmtpSideOptions): SMTPServer => {
  const sockets = new Map<number, Socket>()
  /** By session: what happens to the mail that is under way. */
  const planned = new Map<string, SmtpBehaviour>()
  const mailboxOf = ({ user }: SMTPServerSession) => accounts.of(typeof user === 'string' ? user : defaultAccount)

  const perform = (behaviour: SmtpBehaviour, stage: Stage, session: SMTPServerSession, reply: Reply): void => {
    const due = behaviour.do === 'accept' ? stage === 'data' : behaviour.at === stage
    const act = (): void => {
      if (behaviour.do === 'refuse') reply(replyWith(behaviour.code))
      else if (behaviour.do === 'drop') sockets.get(session.remotePort)?.resetAndDestroy()
      else if (behaviour.do === 'accept') reply()
    }
    if (!due) reply()
    else if (behaviour.latencyMs) setTimeout(act, behaviour.latencyMs)
    else act()
  }

  const server = new SMTPServer({
    ...{ authOptional: true, allowInsecureAuth: true, disableReverseLookup: true, closeTimeout: 100 },
    ...{ size: maxMailBytes, logger: false, hideSTARTTLS: tls === undefined, ...tls },
    onAuth: ({ username, password }, _, done) => {
      if (password === wrongPassword) return done(replyWith(535))
      done(null, { user: username })
    },
    onMailFrom: (_, session, reply) => {
      const forAll = mailboxOf(session).peekForAll()
      if (forAll === undefined || forAll.do === 'accept' || forAll.at !== 'mail') return reply()
      perform(mailboxOf(session).next(''), 'mail', session, reply)
    },
    onRcptTo: ({ address }, session, reply) => {
      const mailbox = mailboxOf(session)
      mailbox.seen(address)
      const behaviour = mailbox.next(address)
      planned.set(session.id, behaviour)
      perform(behaviour, 'rcpt', session, reply)
    },
    onData: (stream, session, reply) => {
      const behaviour = planned.get(session.id) ?? proceed
      if (behaviour.do === 'drop' && behaviour.at === 'body') return perform(behaviour, 'body', session, reply)
      void readAll(stream).then((source) => {
        if (takes(behaviour)) take(source, session)
        perform(behaviour, 'data', session, reply)
      })
    },
    onClose: ({ id }) => void planned.delete(id),
  })
  const take = (source: Buffer, session: SMTPServerSession): void => {
    const { envelope, secure } = session
    const to = envelope.rcptTo.map(({ address }) => address)
    const mail = { envelope: { from: envelope.mailFrom ? envelope.mailFrom.address : '', to }, source, secure }
    for (const recipient of to) mailboxOf(session).accept(recipient, mail)
  }
  server.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket
    if (remotePort === undefined) return
    sockets.set(remotePort, socket)
    socket.on('close', () => sockets.delete(remotePort))
  })
  server.on('error', () => {}) // whoever is cut off notices on the other side
  return server
}

const takes = (behaviour: SmtpBehaviour): boolean =>
  behaviour.do === 'accept' || (behaviour.do !== 'refuse' && behaviour.at === 'data' && behaviour.accepted === true)

const replyWith = (responseCode: number): Error => Object.assign(new Error('scripted'), { responseCode })

const readAll = async (stream: Readable): Promise<Buffer> => {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk as Buffer)
  } catch {
    // Cut off by the sender in mid-mail: there is nobody to reply to.
  }
  return Buffer.concat(chunks)
}

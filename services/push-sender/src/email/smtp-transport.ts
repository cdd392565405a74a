import type { Readable } from 'node:stream'
import { caOptions } from '@dropbell/shared/ca-file'
import { createTransport } from 'nodemailer'
import type { ChannelTransport } from '../channel-transport.ts'
import type { SendResult } from '../provider.ts'
import { sendEach } from '../send-each.ts'
import { buildMail, type Mail, type MailRules } from './build-mail.ts'
import type { EmailConfig } from './config.ts'
import { readSmtpError, type SmtpError } from './read-smtp-error.ts'

export interface SmtpTransportOptions {
  config: EmailConfig
  smtpUrl: string
  rules: MailRules
  /** Milliseconds since the epoch. */
  now(): number
}

const noAddress: SendResult = { kind: 'refused', code: 'INVALID_ADDRESS', retryable: false, latencyMs: 0 }

/** Below what servers and routers usually keep a silent connection for, so that a mail seldom meets a dead one. */
const idleTimeoutMs = 30_000

/** Nothing is connected yet when this returns. */
export const createSmtpTransport = ({ config, smtpUrl, rules, now }: SmtpTransportOptions): ChannelTransport => {
  const mailer = createTransport(poolOptions(config, smtpUrl))
  // How far a mail got is not in nodemailer's errors: its stream, which is read once the server wants it, knows.
  const streams = new Map<string, Readable>()
  mailer.use('stream', (mail, done) => {
    mail.message.processFunc((stream) => {
      streams.set(mail.data.messageId as string, stream as Readable)
      return stream
    })
    done()
  })

  const sendMail = async (mail: Mail, signal: AbortSignal): Promise<SendResult> => {
    const startedAt = performance.now()
    const envelope = { from: rules.from.address, to: [mail.to.address] }
    try {
      const info = await mailer.sendMail({ ...mail, ...contentIsText, envelope, xMailer: false, signal })
      return { kind: 'accepted', latencyMs: performance.now() - startedAt, providerId: info.messageId }
    } catch (error) {
      const stream = streams.get(mail.messageId)
      const progress = { begun: stream !== undefined, written: stream?.readableEnded === true, signal }
      return readSmtpError(error as SmtpError, { ...progress, latencyMs: performance.now() - startedAt })
    } finally {
      streams.delete(mail.messageId)
    }
  }

  return {
    send: (messages, options) =>
      sendEach(messages, options, {
        atOnce: config.SMTP_MAX_CONNECTIONS,
        sendOne: async (outgoing, signal) => {
          const mail = buildMail(outgoing, rules, now())
          return mail === undefined ? noAddress : sendMail(mail, signal)
        },
      }),
    close: async () => mailer.close({ force: true }),
  }
}

/** A text that looks like a path or a URL stays a text. */
const contentIsText = { disableFileAccess: true, disableUrlAccess: true }

const poolOptions = (config: EmailConfig, smtpUrl: string) => {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  const { SMTP_CONNECT_TIMEOUT_MS: connectionTimeout } = config
  return {
    pool: true as const,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // Without it whoever sits on the way only has to hide that the server offers TLS.
    requireTLS: !secure && !config.SMTP_ALLOW_PLAINTEXT,
    tls: { minVersion: 'TLSv1.2' as const, ...caOptions(config.SMTP_CA_FILE) },
    ...(username !== '' && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxConnections: config.SMTP_MAX_CONNECTIONS,
    // Whether a mail may be sent again is the ledger's business.
    maxRequeues: 0,
    connectionTimeout,
    greetingTimeout: connectionTimeout,
    idleTimeout: idleTimeoutMs,
  }
}

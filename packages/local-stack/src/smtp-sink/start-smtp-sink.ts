import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { answerControl, createAccounts } from '../simulator/control-routes.ts'
import { createHttpSide, type HttpExchange } from '../simulator/http-side.ts'
import { createMailbox } from '../simulator/mailbox.ts'
import { stopServer } from '../simulator/stop-server.ts'
import { type SmtpBehaviour, smtpBehaviourSchema } from './behaviour.ts'
import { createSmtpSide } from './smtp-side.ts'
import { type SunkMail, showMail } from './sunk-mail.ts'

export interface SmtpSinkOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Of the read API. */
  readonly controlPort: number
  /** Offers STARTTLS with it. */
  readonly tls?: { key: string; cert: string }
}

export interface RunningSmtpSink {
  readonly url: string
  readonly controlUrl: string
  stop(): Promise<void>
}

/**
 * A mail server that takes everything and passes on nothing, but for what it is told to do otherwise. What it took can be
 * read over HTTP. It forgets everything when it ends.
 */
export const startSmtpSink = async ({ host, port, controlPort, tls }: SmtpSinkOptions): Promise<RunningSmtpSink> => {
  const accounts = createAccounts(() => createMailbox<SmtpBehaviour, SunkMail>({ do: 'accept' }))
  const smtp = createSmtpSide({ accounts, tls })
  const handle = async (exchange: HttpExchange): Promise<void> => {
    const options = { accounts, behaviourSchema: smtpBehaviourSchema, show: showMail }
    const { status, body } = await answerControl(exchange, options)
    exchange.respond(status, body)
  }
  const control = createHttpSide((exchange) => void handle(exchange))
  const listening = Promise.all([once(smtp.server, 'listening'), once(control, 'listening')])
  smtp.listen(port, host)
  control.listen(controlPort, host)
  await listening
  return {
    url: `smtp://${host}:${portIn(smtp.server)}`,
    controlUrl: `http://${host}:${portIn(control)}`,
    stop: async () => {
      await Promise.all([new Promise<void>((resolve) => smtp.close(() => resolve())), stopServer(control)])
    },
  }
}

const portIn = (server: Server): number => (server.address() as AddressInfo).port

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { answerControl, createAccounts } from '../simulator/control-routes.ts'
import { createHttpSide, type HttpExchange } from '../simulator/http-side.ts'
import { createMailbox } from '../simulator/mailbox.ts'
import { stopServer } from '../simulator/stop-server.ts'
import { answerMessage, type SmsAccount, type SmsMessage } from './answer-message.ts'
import { type SmsBehaviour, smsBehaviourSchema } from './behaviour.ts'

export interface SmsSimulatorOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

export interface RunningSmsSimulator {
  readonly url: string
  stop(): Promise<void>
}

const openAccount = (): SmsAccount =>
  Object.assign(createMailbox<SmsBehaviour, SmsMessage>({ do: 'accept' }), { known: new Map<string, SmsMessage>() })

/**
 * A gateway for text messages as far as a sender sees it, and every way in which it can go wrong, on command. Nothing
 * reaches a phone; what would have is counted per number. It forgets everything when it ends.
 */
export const startSmsSimulator = async ({ host, port }: SmsSimulatorOptions): Promise<RunningSmsSimulator> => {
  const accounts = createAccounts<SmsBehaviour, SmsMessage>(openAccount)
  const handle = async (exchange: HttpExchange): Promise<void> => {
    const name = /^\/accounts\/([^/?]+)\/messages$/.exec(exchange.path)?.[1]
    if (exchange.method === 'POST' && name !== undefined) {
      return answerMessage(exchange, accounts.of(decodeURIComponent(name)) as SmsAccount)
    }
    const { status, body } = await answerControl(exchange, { accounts, behaviourSchema: smsBehaviourSchema })
    exchange.respond(status, body)
  }
  const server = createHttpSide((exchange) => void handle(exchange))
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: () => stopServer(server),
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Answer } from '../fcm-simulator/answer.ts'
import { answerControl, notFound, type Shops, shopOf } from './control-routes.ts'
import { recommend } from './recommend.ts'
import type { Shop } from './shop.ts'

export interface SimulatorOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

export interface RunningSimulator {
  readonly url: string
  stop(): Promise<void>
}

const apiPath = /^(?:\/shops\/([^/]+))?\/api\/v1\/recommendations\/([^/]+)$/

/**
 * The recommendation API of another team, as far as whoever asks it sees it, with every way in which it can go wrong, on
 * command. It forgets everything when it ends.
 */
export const startSimulator = async ({ host, port }: SimulatorOptions): Promise<RunningSimulator> => {
  const shops: Shops = new Map()
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const [, shop = 'default', userId] = apiPath.exec(pathname) ?? []
    const method = request.method ?? ''
    if (pathname.startsWith('/control/')) {
      void text(request).then((body) => respond(response, answerControl(method, pathname, body, shops)))
    } else if (userId === undefined || method !== 'GET') {
      respond(response, notFound)
    } else {
      const name = decodeURIComponent(shop)
      serve(
        { request, response, userId: decodeURIComponent(userId), limit: searchParams.get('limit') },
        shopOf(shops, name),
      )
    }
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly userId: string
  readonly limit: string | null
}

const serve = (exchange: Exchange, shop: Shop): void => {
  const { request, response, userId } = exchange
  shop.requestSeen(userId, request.socket)
  response.once('close', shop.requestEnded)
  const behaviour = shop.nextBehaviour(userId)
  const perform = (): void => {
    if (behaviour.do === 'recommend') answer(recommend(userId, exchange.limit, behaviour))
    else if (behaviour.do === 'answer') answer({ status: behaviour.status, body: behaviour.body })
    else if (behaviour.do === 'drop') request.socket.resetAndDestroy()
  }
  const answer = (given: Answer): void => {
    shop.answered(given.status)
    respond(response, given)
  }
  if (behaviour.latencyMs) setTimeout(perform, behaviour.latencyMs)
  else perform()
}

const respond = (response: ServerResponse, { status, headers, body }: Answer): void => {
  response.writeHead(status, headers).end(body)
}

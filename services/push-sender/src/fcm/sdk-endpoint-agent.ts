import { Agent, type AgentOptions } from 'node:https'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** As many requests at once as FCM takes on one HTTP/2 connection, which is what the SDK would use there. */
const maxSockets = 100

/** The SDK always asks for `https://fcm.googleapis.com`; this answers with a connection to somewhere else. */
export const endpointAgent = (origin: string): Agent => {
  const { protocol, hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
  const agent = new Agent({ keepAlive: true, maxSockets } satisfies AgentOptions)
  const createConnection = () =>
    protocol === 'https:' ? connectTls({ ...target, servername: host }) : connect({ ...target, noDelay: true })
  return Object.assign(agent, { createConnection })
}

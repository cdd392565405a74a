import { once } from 'node:events'
import { connect } from 'node:http2'

export interface BareClient {
  /** Resolves when all are answered 200. */
  send(bodies: readonly string[]): Promise<void>
  close(): void
}

/** As many as FCM's front end takes on one connection. */
const CONCURRENT_STREAMS = 100

/** The least that can be done: one `node:http2` session, no deadline, no errors but the first, no bookkeeping. */
export async function connectBareClient(origin: string, project: string): Promise<BareClient> {
  const session = connect(origin)
  await once(session, 'remoteSettings')
  const headers = {
    ':method': 'POST',
    ':path': `/v1/projects/${project}/messages:send`,
    'content-type': 'application/json',
    authorization: 'Bearer bench',
  }

  const sendOne = (body: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const stream = session.request(headers)
      let status = 0
      stream.on('response', (response) => {
        status = response[':status'] ?? 0
      })
      stream.on('data', () => {})
      stream.on('end', () => (status === 200 ? resolve() : reject(new Error(`The simulator answers ${status}`))))
      stream.on('error', reject)
      stream.end(body)
    })

  return {
    send: async (bodies) => {
      let next = 0
      const sendOn = async (): Promise<void> => {
        for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await sendOne(body)
      }
      await Promise.all(Array.from({ length: CONCURRENT_STREAMS }, sendOn))
    },
    close: () => session.destroy(),
  }
}

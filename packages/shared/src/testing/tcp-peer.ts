import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpPeer {
  port: number
  close(): Promise<void>
}

const listen = async (onConnection: (socket: Socket) => void, port = 0): Promise<TcpPeer> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Whoever is cut off here notices; this side has nothing to say about it.
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Takes connections and never answers, as a frozen engine does. */
export const startSilentPeer = (): Promise<TcpPeer> => listen(() => {})

/** Passes everything on to an engine, and can be closed instead of the engine. */
export const startProxy = (target: { host: string; port: number }, port?: number): Promise<TcpPeer> =>
  listen((socket) => {
    const upstream = connect(target)
    upstream.on('error', () => socket.destroy())
    upstream.on('close', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    socket.pipe(upstream).pipe(socket)
  }, port)

/** A port on which nobody listens. */
export const closedPort = async (): Promise<number> => {
  const peer = await startSilentPeer()
  await peer.close()
  return peer.port
}

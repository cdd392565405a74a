import type { Server as Http1Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'

/** What every HTTP/2 connection without TLS begins with; no HTTP/1.1 method does. */
const http2Preface = 'PRI '

/** One port for both: the first bytes tell which protocol a client speaks. */
export const serveBothProtocols = (http1: Http1Server, http2: Http2Server): Server & { dropAll(): void } => {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {}) // whoever is cut off notices on the other side
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (first.toString('latin1', 0, http2Preface.length) === http2Preface) {
        http2.emit('connection', socket) // it reads what was put back, and the rest, by itself
      } else {
        http1.emit('connection', socket)
        socket.resume()
      }
    })
  })
  return Object.assign(server, {
    dropAll: () => {
      for (const socket of sockets) socket.destroy()
    },
  })
}

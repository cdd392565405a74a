import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface AnswerSwallower {
  port: number
  /** Lets so many answers pass, then throws one away and cuts its connection: the question was heard, and nobody knows. */
  swallowAfter(answers: number): void
  /** The connections there are stay open, and nothing passes any more, as when a host vanishes. New ones work. */
  goSilent(): void
  close(): Promise<void>
}

export const startAnswerSwallower = async (target: { host: string; port: number }): Promise<AnswerSwallower> => {
  let answersLeft = Number.POSITIVE_INFINITY
  let silenced = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connect(target)
    for (const side of [socket, upstream]) {
      sockets.add(side)
      side.on('error', () => {}) // the other side is cut off with it
    }
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
    const generation = silenced
    socket.on('data', (question) => {
      if (generation === silenced) upstream.write(question)
    })
    upstream.on('data', (answer) => {
      if (answersLeft-- > 0) return void socket.write(answer)
      answersLeft = Number.POSITIVE_INFINITY
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    swallowAfter: (answers) => {
      answersLeft = answers
    },
    goSilent: () => {
      silenced++
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

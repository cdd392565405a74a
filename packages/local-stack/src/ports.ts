import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** `preferred`: the well-known port if nobody has it. `free`: always another one, for a stack beside a running one. */
export type PortChoice = 'preferred' | 'free'

/** Below the range that the kernel takes for outgoing connections, so that a port stays free until it is bound. */
const firstPort = 20_000
const lastPort = 32_000

export const choosePort = async (
  preferred: number,
  choice: PortChoice,
  taken: ReadonlySet<number>,
): Promise<number> => {
  if (choice === 'preferred' && !taken.has(preferred) && (await isFree(preferred))) return preferred
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(firstPort, lastPort)
    if (!taken.has(port) && (await isFree(port))) return port
  }
  throw new Error(`No free port found between ${firstPort} and ${lastPort}`)
}

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })

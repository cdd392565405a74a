import { randomInt } from 'node:crypto'
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
    if (!taken.has(port) && (await isFree(port)) && (await reserve(port))) return port
  }
  throw new Error(`No free port found between ${firstPort} and ${lastPort}`)
}

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })

/** By then an engine has bound its port, and whoever looks sees that it is taken. */
const reservedForMs = 300_000

/** An engine binds its port seconds after it was chosen; another stack that starts meanwhile must not choose it too. */
const reserve = async (port: number): Promise<boolean> => {
  const directory = join(tmpdir(), `dropbell-ports-${process.getuid?.() ?? ''}`)
  const file = join(directory, String(port))
  await mkdir(directory, { recursive: true })
  try {
    await writeFile(file, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const now = Date.now()
    if (now - (await stat(file)).mtimeMs < reservedForMs) return false
    await utimes(file, now / 1000, now / 1000)
    return true
  }
}

import { once } from 'node:events'
import type { Server } from 'node:http'

/** At once: whoever is under way is cut off. */
export const stopServer = async (server: Server): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

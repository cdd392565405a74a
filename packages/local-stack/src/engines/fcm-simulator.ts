import type { Engine, EngineSite } from './engine.ts'
import { nodeProgram } from './node-program.ts'

const urlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.main}`

/** Firebase Cloud Messaging without Firebase: the same protocol, and faults on command. */
export const fcmSimulator: Engine = {
  name: 'fcm-simulator',
  title: 'FCM simulator',
  dependsOn: [],
  ports: { main: 8085 },
  runsAsCaller: true,

  prepare: async () => {},

  command: async (site) => nodeProgram('fcm-simulator', { FCM_SIMULATOR_PORT: String(site.ports.main) }),

  async probe(site) {
    const response = await fetch(`${urlOf(site)}/control/projects/probe`, { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) throw new Error(`The simulator answers ${response.status}`)
    return 'v1'
  },

  env: (site) => ({ FCM_ENDPOINT: urlOf(site) }),
}

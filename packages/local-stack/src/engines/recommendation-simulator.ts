import type { Engine, EngineSite } from './engine.ts'
import { nodeProgram } from './node-program.ts'

const urlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.main}`

/** The recommendation API that another team runs: the same protocol, and faults on command. */
export const recommendationSimulator: Engine = {
  name: 'recommendation-simulator',
  title: 'Recommendation API simulator',
  dependsOn: [],
  ports: { main: 8087 },
  runsAsCaller: true,

  prepare: async () => {},

  command: async (site) =>
    nodeProgram('recommendation-simulator', { RECOMMENDATION_SIMULATOR_PORT: String(site.ports.main) }),

  async probe(site) {
    const response = await fetch(`${urlOf(site)}/control/shops/probe`, { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) throw new Error(`The simulator answers ${response.status}`)
    return 'v1'
  },

  env: (site) => ({ RECOMMENDATION_API_URL: urlOf(site) }),
}

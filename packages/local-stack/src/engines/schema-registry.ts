import type { Engine, EngineSite } from './engine.ts'
import { nodeProgram } from './node-program.ts'

const urlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.main}`

/** Our own, with Confluent's API and record format: no ready one is published where the other engines come from. */
export const schemaRegistry: Engine = {
  name: 'schema-registry',
  title: 'Schema registry',
  dependsOn: ['kafka'],
  ports: { main: 8081 },
  runsAsCaller: true,

  prepare: async () => {},

  command: async (site) =>
    nodeProgram('schema-registry', { ...site.env, SCHEMA_REGISTRY_PORT: String(site.ports.main) }),

  async probe(site) {
    const response = await fetch(`${urlOf(site)}/subjects`, { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) throw new Error(`The registry answers ${response.status}`)
    return 'embedded'
  },

  env: (site) => ({ SCHEMA_REGISTRY_URL: urlOf(site) }),
}

import { dirname, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Engine, EngineSite } from './engine.ts'

const urlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.main}`

/** Whether this package runs from source or built, its programs run the same way. */
const extension = extname(fileURLToPath(import.meta.url))
const program = fileURLToPath(new URL(`../schema-registry/main${extension}`, import.meta.url))
const loader = extension === '.ts' ? ['--conditions=source', '--import=tsx'] : []

/** Our own, with Confluent's API and record format: no ready one is published where the other engines come from. */
export const schemaRegistry: Engine = {
  name: 'schema-registry',
  title: 'Schema registry',
  dependsOn: ['kafka'],
  ports: { main: 8081 },
  runsAsCaller: true,

  prepare: async () => {},

  command: async (site) => ({
    file: process.execPath,
    args: [...loader, program],
    cwd: dirname(program), // where the loader is found
    env: { ...site.env, SCHEMA_REGISTRY_PORT: String(site.ports.main) },
  }),

  async probe(site) {
    const response = await fetch(`${urlOf(site)}/subjects`, { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) throw new Error(`The registry answers ${response.status}`)
    return 'embedded'
  },

  env: (site) => ({ SCHEMA_REGISTRY_URL: urlOf(site) }),
}

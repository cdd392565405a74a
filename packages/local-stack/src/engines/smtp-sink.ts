import type { Engine, EngineSite } from './engine.ts'
import { nodeProgram } from './node-program.ts'

const controlUrlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.control}`

/** A mail server that delivers nothing, and shows what it was given. */
export const smtpSink: Engine = {
  name: 'smtp-sink',
  title: 'SMTP sink',
  dependsOn: [],
  ports: { main: 1025, control: 8025 },
  runsAsCaller: true,

  prepare: async () => {},

  command: async ({ ports }) =>
    nodeProgram('smtp-sink', {
      SMTP_SINK_PORT: String(ports.main),
      SMTP_SINK_CONTROL_PORT: String(ports.control),
    }),

  async probe(site) {
    const url = `${controlUrlOf(site)}/control/accounts/probe`
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) throw new Error(`The sink answers ${response.status}`)
    return 'v1'
  },

  env: (site) => ({
    SMTP_URL: `smtp://127.0.0.1:${site.ports.main}`,
    SMTP_ALLOW_PLAINTEXT: 'true',
    SMTP_SINK_URL: controlUrlOf(site),
    EMAIL_FROM: 'Dropbell <dropbell@example.com>',
    EMAIL_UNSUBSCRIBE_URL: 'https://example.com/unsubscribe?user={userId}',
  }),
}

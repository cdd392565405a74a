import { smsGatewayUrl } from '../sms-simulator/control-client.ts'
import type { Engine, EngineSite } from './engine.ts'
import { nodeProgram } from './node-program.ts'

const urlOf = ({ ports }: EngineSite): string => `http://127.0.0.1:${ports.main}`

/** A gateway for text messages that reaches no phone. */
export const smsSimulator: Engine = {
  name: 'sms-simulator',
  title: 'SMS simulator',
  dependsOn: [],
  ports: { main: 8086 },
  runsAsCaller: true,

  prepare: async () => {},

  command: async (site) => nodeProgram('sms-simulator', { SMS_SIMULATOR_PORT: String(site.ports.main) }),

  async probe(site) {
    const response = await fetch(`${urlOf(site)}/control/accounts/probe`, { signal: AbortSignal.timeout(2_000) })
    if (!response.ok) throw new Error(`The simulator answers ${response.status}`)
    return 'v1'
  },

  env: (site) => ({ SMS_GATEWAY_URL: smsGatewayUrl(urlOf(site), 'dropbell') }),
}

import type { Config, ConfigFragment } from '../config.ts'
import { checkCaFile } from './credential-checks.ts'
import { count, filePath, oneOf, url } from './variables.ts'

const shape = {
  DATABASE_URL: url('postgres', 'postgresql').describe('Server, database, user and password.'),
  DATABASE_SSL: oneOf(['disable', 'require', 'verify-full'])
    .default('disable')
    .describe("TLS: none, encrypted only, or with the server's name and certificate verified."),
  DATABASE_CA_FILE: filePath().optional().describe("CA of the server's certificate, if it is not a public one."),
  DATABASE_POOL_MAX: count({ min: 1 }).default(10).describe('Most connections this process opens at once.'),
}

export const postgresConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    // pg lets these parameters of the URL win over DATABASE_SSL in silence.
    const parameters = values.DATABASE_URL === undefined ? [] : [...new URL(values.DATABASE_URL).searchParams.keys()]
    const ofTls = parameters.filter((name) => name.startsWith('ssl'))
    if (ofTls.length > 0) {
      fault(
        'DATABASE_URL',
        `has the parameter ${ofTls.join(', ')}`,
        'TLS to be set with DATABASE_SSL and DATABASE_CA_FILE',
      )
    }
    checkCaFile(values, fault, 'DATABASE_CA_FILE', {
      used: values.DATABASE_SSL === undefined || values.DATABASE_SSL === 'verify-full',
      condition: 'DATABASE_SSL is verify-full',
    })
  },
}

export type PostgresConfig = Config<typeof postgresConfig>

import type { Config, ConfigFragment } from '../config.ts'
import { checkCaFile, checkNotInUrl } from './credential-checks.ts'
import { filePath, secret, text, url } from './variables.ts'

const shape = {
  REDIS_URL: url('redis', 'rediss')
    .default('redis://localhost:6379')
    .describe('Server and database number; rediss:// for TLS.'),
  REDIS_USERNAME: text().optional().describe('ACL user; unset for the default user.'),
  REDIS_PASSWORD: secret().optional().describe('Password of the user.'),
  REDIS_TLS_CA_FILE: filePath().optional().describe("CA of the server's certificate, if it is not a public one."),
}

export const redisConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    if (values.REDIS_URL !== undefined && !/^\/?\d*$/.test(new URL(values.REDIS_URL).pathname)) {
      fault('REDIS_URL', 'has a path', 'nothing but the number of a database after the host')
    }
    if (values.REDIS_USERNAME !== undefined && values.REDIS_PASSWORD === undefined) {
      fault('REDIS_PASSWORD', 'is missing', 'a value, since REDIS_USERNAME is set')
    }
    checkNotInUrl(values, fault, 'REDIS_URL', ['REDIS_USERNAME', 'REDIS_PASSWORD'])
    checkCaFile(values, fault, 'REDIS_TLS_CA_FILE', {
      used: values.REDIS_URL?.startsWith('redis:') !== true,
      condition: 'REDIS_URL starts with rediss://',
    })
  },
}

export type RedisConfig = Config<typeof redisConfig>

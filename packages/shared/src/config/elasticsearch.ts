import type { Config, ConfigFragment } from '../config.ts'
import { checkCaFile, checkNotInUrl, checkPair } from './credential-checks.ts'
import { filePath, secret, text, url } from './variables.ts'

const shape = {
  ELASTICSEARCH_URL: url('http', 'https').default('http://localhost:9200').describe('Any node of the cluster.'),
  ELASTICSEARCH_API_KEY: secret().optional().describe('Encoded API key, instead of user and password.'),
  ELASTICSEARCH_USERNAME: text().optional().describe('User, with ELASTICSEARCH_PASSWORD.'),
  ELASTICSEARCH_PASSWORD: secret().optional().describe('Password, with ELASTICSEARCH_USERNAME.'),
  ELASTICSEARCH_CA_FILE: filePath().optional().describe("CA of the cluster's certificates, if it is not a public one."),
}

export const elasticsearchConfig: ConfigFragment<typeof shape> = {
  shape,
  check: (values, fault) => {
    checkPair(values, fault, 'ELASTICSEARCH_USERNAME', 'ELASTICSEARCH_PASSWORD')
    if (values.ELASTICSEARCH_API_KEY !== undefined && values.ELASTICSEARCH_USERNAME !== undefined) {
      fault('ELASTICSEARCH_API_KEY', 'is set', 'nothing, since ELASTICSEARCH_USERNAME is set')
    }
    checkNotInUrl(values, fault, 'ELASTICSEARCH_URL', [
      'ELASTICSEARCH_API_KEY',
      'ELASTICSEARCH_USERNAME',
      'ELASTICSEARCH_PASSWORD',
    ])
    checkCaFile(values, fault, 'ELASTICSEARCH_CA_FILE', {
      used: values.ELASTICSEARCH_URL?.startsWith('http:') !== true,
      condition: 'ELASTICSEARCH_URL starts with https://',
    })
  },
}

export type ElasticsearchConfig = Config<typeof elasticsearchConfig>

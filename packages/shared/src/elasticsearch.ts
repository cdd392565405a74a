import { Client, type ClientOptions } from '@elastic/elasticsearch'
import { caOptions } from './ca-file.ts'
import type { ElasticsearchConfig } from './config/elasticsearch.ts'
import { TransientError } from './errors.ts'
import { type Connection, createProbe } from './probe.ts'

export interface ElasticsearchOptions {
  config: ElasticsearchConfig
  /** Name of the client in its errors and traces. */
  service: string
  probeTimeoutMs?: number
}

export const elasticsearchSettings = ({
  config,
  service,
}: Pick<ElasticsearchOptions, 'config' | 'service'>): ClientOptions => {
  const auth = authOptions(config)
  return {
    node: config.ELASTICSEARCH_URL,
    name: service,
    // The default is ten minutes.
    requestTimeout: 10_000,
    maxRetries: 2,
    ...(auth && { auth }),
    ...(config.ELASTICSEARCH_CA_FILE !== undefined && { tls: caOptions(config.ELASTICSEARCH_CA_FILE) }),
  }
}

const authOptions = (config: ElasticsearchConfig): ClientOptions['auth'] => {
  const { ELASTICSEARCH_API_KEY: apiKey, ELASTICSEARCH_USERNAME: username, ELASTICSEARCH_PASSWORD: password } = config
  if (apiKey !== undefined) return { apiKey }
  return username !== undefined && password !== undefined ? { username, password } : undefined
}

const code = 'ELASTICSEARCH_UNAVAILABLE'

export const createElasticsearch = (options: ElasticsearchOptions): Connection<Client> => {
  const client = new Client(elasticsearchSettings(options))
  const request = async (requestTimeout: number): Promise<void> => {
    const { status } = await client.cluster.health({}, { requestTimeout, maxRetries: 0 })
    // Red: data is missing, so searches fail or, worse, answer with less than there is.
    if (status === 'red') throw new TransientError(code, 'the cluster is red')
  }
  return {
    client,
    probe: createProbe({ code, name: 'Elasticsearch', timeoutMs: options.probeTimeoutMs, request }),
    close: () => client.close(),
  }
}

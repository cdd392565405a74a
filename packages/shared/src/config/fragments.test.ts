import { describe, expect, it } from 'vitest'
import { type ConfigError, defineConfig, describeConfig, loadConfig } from '../config.ts'
import { consumerConfig } from './consumer.ts'
import { dlqConfig } from './dlq.ts'
import { elasticsearchConfig } from './elasticsearch.ts'
import { kafkaConfig } from './kafka.ts'
import { postgresConfig } from './postgres.ts'
import { redisConfig } from './redis.ts'
import { schemaRegistryConfig } from './schema-registry.ts'
import { serviceConfig } from './service.ts'

const everything = defineConfig(
  serviceConfig,
  kafkaConfig,
  redisConfig,
  elasticsearchConfig,
  postgresConfig,
  schemaRegistryConfig,
  consumerConfig,
  dlqConfig,
)
const DATABASE_URL = 'postgres://localhost/main'

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    loadConfig(everything, { DATABASE_URL, ...env })
    return []
  } catch (error) {
    return (error as ConfigError).faults.map(({ name, problem, expected }) => `${name} ${problem}; ${expected}`)
  }
}

describe('config fragments', () => {
  it('need nothing but the database to run against local engines', () => {
    expect(loadConfig(everything, { DATABASE_URL })).toMatchObject({
      KAFKA_BROKERS: ['localhost:9092'],
      REDIS_URL: 'redis://localhost:6379',
      ELASTICSEARCH_URL: 'http://localhost:9200',
      OPERATIONS_HOST: '127.0.0.1',
      CONSUMER_MAX_BATCH_RECORDS: 500,
      DLQ_ENABLED: true,
      DLQ_TOPIC_SUFFIX: '.dlq',
      DLQ_MAX_RETRIES: 3,
      DLQ_RETRY_BACKOFF_MS: 1_000,
    })
  })

  it('describe every variable', () => {
    expect(describeConfig(everything).filter((row) => row.description === '' || !row.expected)).toEqual([])
  })

  it('mark passwords and keys as secrets', () => {
    const secrets = describeConfig(everything).filter((row) => row.secret)
    expect(secrets.map((row) => row.name)).toEqual([
      'KAFKA_SASL_PASSWORD',
      'REDIS_PASSWORD',
      'ELASTICSEARCH_API_KEY',
      'ELASTICSEARCH_PASSWORD',
      'SCHEMA_REGISTRY_PASSWORD',
    ])
  })

  it.each<[string, Record<string, string>, string[]]>([
    [
      'SASL without user and password, beside a fault of another engine',
      { KAFKA_SASL_MECHANISM: 'plain', REDIS_URL: 'http://x' },
      [
        'REDIS_URL is not valid; a URL that starts with redis:// or rediss://',
        'KAFKA_SASL_USERNAME is missing; a value, since KAFKA_SASL_MECHANISM is set',
        'KAFKA_SASL_PASSWORD is missing; a value, since KAFKA_SASL_MECHANISM is set',
      ],
    ],
    [
      'a SASL password that would not be used',
      { KAFKA_SASL_PASSWORD: 'p' },
      ['KAFKA_SASL_MECHANISM is missing; a value, since KAFKA_SASL_PASSWORD is set'],
    ],
    [
      'an unknown SASL mechanism only once',
      { KAFKA_SASL_MECHANISM: 'gssapi', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' },
      ['KAFKA_SASL_MECHANISM is "gssapi"; one of plain, scram-sha-256, scram-sha-512'],
    ],
    [
      'a broker without port',
      { KAFKA_BROKERS: 'a:9092,b' },
      ['KAFKA_BROKERS is "a:9092,b"; host:port, several separated by commas'],
    ],
    [
      'a CA without TLS',
      { KAFKA_SSL_CA_FILE: 'ca', REDIS_TLS_CA_FILE: 'ca', ELASTICSEARCH_CA_FILE: 'ca', DATABASE_CA_FILE: 'ca' },
      [
        'KAFKA_SSL_CA_FILE is set; nothing, unless KAFKA_SSL is true',
        'REDIS_TLS_CA_FILE is set; nothing, unless REDIS_URL starts with rediss://',
        'ELASTICSEARCH_CA_FILE is set; nothing, unless ELASTICSEARCH_URL starts with https://',
        'DATABASE_CA_FILE is set; nothing, unless DATABASE_SSL is verify-full',
      ],
    ],
    [
      'credentials in two places',
      {
        REDIS_URL: 'redis://:p@cache',
        REDIS_PASSWORD: 'q',
        ELASTICSEARCH_URL: 'http://u:p@es',
        ELASTICSEARCH_API_KEY: 'k',
      },
      [
        'REDIS_PASSWORD is set; nothing, since REDIS_URL holds credentials already',
        'ELASTICSEARCH_API_KEY is set; nothing, since ELASTICSEARCH_URL holds credentials already',
      ],
    ],
    [
      'a Redis database that is not a number',
      { REDIS_URL: 'redis://cache/main' },
      ['REDIS_URL has a path; nothing but the number of a database after the host'],
    ],
    [
      'a Redis user without password',
      { REDIS_USERNAME: 'u' },
      ['REDIS_PASSWORD is missing; a value, since REDIS_USERNAME is set'],
    ],
    [
      'an API key beside a user',
      { ELASTICSEARCH_API_KEY: 'k', ELASTICSEARCH_USERNAME: 'u', ELASTICSEARCH_PASSWORD: 'p' },
      ['ELASTICSEARCH_API_KEY is set; nothing, since ELASTICSEARCH_USERNAME is set'],
    ],
    [
      'a TLS mode in the database URL',
      { DATABASE_URL: 'postgres://localhost/main?sslmode=require' },
      ['DATABASE_URL has the parameter sslmode; TLS to be set with DATABASE_SSL and DATABASE_CA_FILE'],
    ],
    [
      'a suffix that no topic can have',
      { DLQ_TOPIC_SUFFIX: '/dlq' },
      ['DLQ_TOPIC_SUFFIX is "/dlq"; letters, digits, dots, dashes and underscores'],
    ],
    [
      'half of the registry credentials',
      { SCHEMA_REGISTRY_USERNAME: 'u' },
      ['SCHEMA_REGISTRY_PASSWORD is missing; a value, since SCHEMA_REGISTRY_USERNAME is set'],
    ],
  ])('refuse %s', (_, env, faults) => {
    expect(faultsOf(env)).toEqual(faults)
  })

  it.each<[string, Record<string, string>]>([
    ['a Redis password alone', { REDIS_PASSWORD: 'p' }],
    [
      'SASL over TLS with a CA',
      {
        KAFKA_SSL: 'true',
        KAFKA_SSL_CA_FILE: 'ca',
        KAFKA_SASL_MECHANISM: 'scram-sha-512',
        KAFKA_SASL_USERNAME: 'u',
        KAFKA_SASL_PASSWORD: 'p',
      },
    ],
    ['a verified database', { DATABASE_SSL: 'verify-full', DATABASE_CA_FILE: 'ca' }],
  ])('accept %s', (_, env) => {
    expect(faultsOf(env)).toEqual([])
  })
})

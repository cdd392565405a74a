import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { elasticsearchConfig } from './config/elasticsearch.ts'
import { kafkaConfig } from './config/kafka.ts'
import { postgresConfig } from './config/postgres.ts'
import { redisConfig } from './config/redis.ts'
import { defineConfig, type Environment, loadConfig } from './config.ts'
import { elasticsearchSettings } from './elasticsearch.ts'
import { PermanentError } from './errors.ts'
import { kafkaRetry, kafkaSettings } from './kafka/connect.ts'
import { postgresSettings } from './postgres.ts'
import { redisSettings } from './redis.ts'

const directory = mkdtempSync(join(tmpdir(), 'dropbell-ca-'))
afterAll(() => rmSync(directory, { recursive: true }))
const caFile = join(directory, 'ca.pem')
writeFileSync(caFile, 'the CA')

const service = 'bell'

describe('kafkaSettings', () => {
  const schema = defineConfig(kafkaConfig)
  const settings = (env: Environment) => kafkaSettings({ config: loadConfig(schema, env), service })

  it('speaks plain text to local brokers, under the name of the service', () => {
    expect(settings({})).toMatchObject({ brokers: ['localhost:9092'], clientId: 'bell' })
    expect(settings({})).not.toHaveProperty('ssl')
    expect(settings({})).not.toHaveProperty('sasl')
    expect(settings({ KAFKA_CLIENT_ID: 'other' }).clientId).toBe('other')
  })

  it('authenticates over verified TLS', () => {
    const env = {
      KAFKA_SSL: 'true',
      KAFKA_SSL_CA_FILE: caFile,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: 'p',
    }
    expect(settings(env)).toMatchObject({
      ssl: { rejectUnauthorized: true, ca: 'the CA' },
      sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
    })
  })

  it('leaves no retry setting to NODE_ENV', () => {
    expect(settings({}).retry).toEqual(kafkaRetry)
    expect(Object.keys(kafkaRetry).sort()).toEqual([
      'factor',
      'initialRetryTime',
      'maxRetryTime',
      'multiplier',
      'retries',
    ])
  })

  it('fails for good when the CA cannot be read', () => {
    const env = { KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: join(directory, 'missing.pem') }
    expect(() => settings(env)).toThrow(PermanentError)
    expect(() => settings(env)).toThrow(/missing\.pem cannot be read/)
  })
})

describe('redisSettings', () => {
  const schema = defineConfig(redisConfig)
  const settings = (env: Environment) => redisSettings({ config: loadConfig(schema, env), service })

  it('connects on first use, and repeats no command by itself', () => {
    expect(settings({})).toMatchObject({
      host: 'localhost',
      port: 6379,
      db: 0,
      connectionName: 'bell',
      lazyConnect: true,
      autoResendUnfulfilledCommands: false,
    })
    expect(settings({})).not.toHaveProperty('tls')
  })

  it('takes all parts of the URL', () => {
    expect(settings({ REDIS_URL: 'redis://me:p%40ss@[::1]:7000/3' })).toMatchObject({
      host: '::1',
      port: 7000,
      db: 3,
      username: 'me',
      password: 'p@ss',
    })
  })

  it('takes credentials of their own variables as they are', () => {
    expect(settings({ REDIS_USERNAME: 'me', REDIS_PASSWORD: 'p%40ss' })).toMatchObject({
      username: 'me',
      password: 'p%40ss',
    })
  })

  it('talks TLS for rediss, with the CA given', () => {
    expect(settings({ REDIS_URL: 'rediss://cache', REDIS_TLS_CA_FILE: caFile })).toMatchObject({
      tls: { servername: 'cache', ca: 'the CA' },
    })
    expect(settings({ REDIS_URL: 'rediss://10.0.0.1' }).tls).toEqual({})
  })

  it('waits longer after each failed connect, up to two seconds', () => {
    const { retryStrategy } = settings({})
    expect(retryStrategy(1)).toBeLessThan(200)
    expect(retryStrategy(50)).toBeGreaterThanOrEqual(2_000)
    expect(retryStrategy(50)).toBeLessThanOrEqual(2_100)
  })
})

describe('elasticsearchSettings', () => {
  const schema = defineConfig(elasticsearchConfig)
  const settings = (env: Environment) => elasticsearchSettings({ config: loadConfig(schema, env), service })

  it('has no credentials by default', () => {
    expect(settings({})).toMatchObject({ node: 'http://localhost:9200', name: 'bell' })
    expect(settings({})).not.toHaveProperty('auth')
  })

  it('takes an API key, or user and password', () => {
    expect(settings({ ELASTICSEARCH_API_KEY: 'k' }).auth).toEqual({ apiKey: 'k' })
    expect(settings({ ELASTICSEARCH_USERNAME: 'u', ELASTICSEARCH_PASSWORD: 'p' }).auth).toEqual({
      username: 'u',
      password: 'p',
    })
  })

  it('trusts the CA given', () => {
    const env = { ELASTICSEARCH_URL: 'https://es:9200', ELASTICSEARCH_CA_FILE: caFile }
    expect(settings(env).tls).toEqual({ ca: 'the CA' })
  })
})

describe('postgresSettings', () => {
  const schema = defineConfig(postgresConfig)
  const settings = (env: Environment) =>
    postgresSettings({ config: loadConfig(schema, { DATABASE_URL: 'postgres://db/main', ...env }), service })

  it('names its connections after the service and limits their number', () => {
    expect(settings({ DATABASE_POOL_MAX: '3' })).toMatchObject({ application_name: 'bell', max: 3 })
  })

  it.each<[string, Environment, unknown]>([
    ['no TLS', { DATABASE_SSL: 'disable' }, false],
    ['TLS without verification', { DATABASE_SSL: 'require' }, { rejectUnauthorized: false }],
    ['verified TLS', { DATABASE_SSL: 'verify-full' }, { rejectUnauthorized: true }],
    [
      'TLS verified with a CA',
      { DATABASE_SSL: 'verify-full', DATABASE_CA_FILE: caFile },
      { rejectUnauthorized: true, ca: 'the CA' },
    ],
  ])('can do %s', (_, env, ssl) => {
    expect(settings(env).ssl).toEqual(ssl)
  })
})

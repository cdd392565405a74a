import { daySchema, schedulerUrlConfig } from '@dropbell/schemas/recommendation-runs'
import { type ConfigShape, describeConfig } from '@dropbell/shared/config'
import { describeVariable } from '@dropbell/shared/config/describe-variable'
import { elasticsearchConfig } from '@dropbell/shared/config/elasticsearch'
import { kafkaConfig } from '@dropbell/shared/config/kafka'
import { postgresConfig } from '@dropbell/shared/config/postgres'
import { redisConfig } from '@dropbell/shared/config/redis'
import { schemaRegistryConfig } from '@dropbell/shared/config/schema-registry'
import { InvalidArgumentError, Option } from 'commander'
import { topicsConfig } from './config.ts'

/** A flag that stands for a variable: the same meaning, the same rules, declared where the variable is. */
const configOption = <S extends ConfigShape>(flags: string, shape: S, name: keyof S & string): Option => {
  const type = shape[name]
  if (type === undefined) throw new Error(`${name} is not declared`)
  const [row] = describeConfig({ shape: { [name]: type } })
  const byDefault = row?.default === undefined ? '' : `, default: ${row.default}`
  const option = new Option(flags, `${row?.description} (env: ${name}${byDefault})`)
  // commander would repeat a wrong value, and with it a password; the configuration refuses it without.
  if (describeVariable(type).mayHoldCredentials) return option
  return option.argParser((value: string) => {
    if (type.safeParse(value).success) return value
    throw new InvalidArgumentError(`Expected ${row?.expected}.`)
  })
}

export const brokersOption = (): Option => configOption('--brokers <list>', kafkaConfig.shape, 'KAFKA_BROKERS')

export const registryOption = (): Option =>
  configOption('--registry <url>', schemaRegistryConfig.shape, 'SCHEMA_REGISTRY_URL')

/** For a command that does without a registry if none is given. */
export const optionalRegistryOption = (): Option => {
  const option = registryOption()
  option.description = 'Registry to compare with; none is asked if none is given. (env: SCHEMA_REGISTRY_URL)'
  return option
}

export const databaseOption = (): Option => configOption('--database <url>', postgresConfig.shape, 'DATABASE_URL')

export const redisOption = (): Option => configOption('--redis <url>', redisConfig.shape, 'REDIS_URL')

export const elasticsearchOption = (): Option =>
  configOption('--elasticsearch <url>', elasticsearchConfig.shape, 'ELASTICSEARCH_URL')

export const replicationFactorOption = (): Option =>
  configOption('--replication-factor <number>', topicsConfig.shape, 'TOPICS_REPLICATION_FACTOR')

export const schedulerUrlOption = (): Option =>
  configOption('--url <url>', schedulerUrlConfig.shape, 'RECOMMENDATION_SCHEDULER_URL')

export const dayOption = (): Option =>
  new Option('--day <date>', 'the day of the run, YYYY-MM-DD; today if left out').argParser((value: string) => {
    if (daySchema.safeParse(value).success) return value
    throw new InvalidArgumentError('Expected a date, YYYY-MM-DD.')
  })

export const jsonOption = (): Option => new Option('--json', 'print JSON, for a program to read')

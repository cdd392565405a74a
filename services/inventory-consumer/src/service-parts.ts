import { systemClock } from '@dropbell/notification-producer/clock'
import { createAdmission } from '@dropbell/notification-producer/create-admission'
import { createGate } from '@dropbell/notification-producer/gate'
import {
  createNotificationMetrics,
  type NotificationMetrics,
} from '@dropbell/notification-producer/notification-metrics'
import {
  createNotificationProducer,
  type ProduceNotifications,
} from '@dropbell/notification-producer/produce-notifications'
import { createRecordStop, type RecordStop } from '@dropbell/notification-producer/record-stop'
import { createProductStates, type ProductStates } from '@dropbell/offers/product-state'
import { type Codec, createCodec } from '@dropbell/schemas/codec'
import type { FanoutRequest } from '@dropbell/schemas/generated/fanout-request'
import { notificationFanoutTopic, notificationOutcomeTopic, notificationPushTopic } from '@dropbell/schemas/topics'
import type { ConsumerOptions } from '@dropbell/shared/kafka/consumer'
import { retryPolicy } from '@dropbell/shared/kafka/consumer/decide-failure'
import { createPublisher, type Publisher } from '@dropbell/shared/kafka/publisher'
import type { Logger } from '@dropbell/shared/log'
import { createRightOfWay, type RightOfWay } from '@dropbell/shared/right-of-way'
import type { AppContext } from '@dropbell/shared/run-service'
import type { Registry } from 'prom-client'
import type { Engines } from './connect-engines.ts'
import { createFanoutPublisher, type PublishFanouts } from './fanout-request.ts'
import { createInventoryMetrics, type InventoryMetrics } from './inventory-metrics.ts'
import { createProductNames, type ReadProductNames } from './product-names.ts'
import { createTargetResolver, type ResolveTargets } from './resolve-targets.ts'
import type { InventoryConsumerConfig } from './service-config.ts'

/** How one role writes: through a producer of its own, so that neither waits in the other's queue. */
export interface Output {
  publisher: Publisher
  produceNotifications: ProduceNotifications
  publishFanouts: PublishFanouts
  recordStop: RecordStop
}

/** What both roles are made of. */
export interface ServiceParts {
  config: InventoryConsumerConfig
  log: Logger
  metrics: NotificationMetrics & InventoryMetrics
  engines: Engines
  fanoutCodec: Codec<FanoutRequest>
  createOutput(role: string): Output
  productStates: ProductStates
  readProductNames: ReadProductNames
  resolveTargets: ResolveTargets
  /** In one process with both roles, detection goes first. */
  rightOfWay: RightOfWay
  /** What every consumer here is given. */
  consumerOptions: Pick<
    ConsumerOptions<unknown>,
    'kafka' | 'policy' | 'dependencies' | 'registry' | 'log' | 'onFatal' | 'sessionTimeoutMs' | 'drainTimeoutMs'
  >
}

export const createServiceParts = async (
  { config, log, shutdown, fail }: AppContext<InventoryConsumerConfig>,
  engines: Engines,
  registry: Registry,
): Promise<ServiceParts> => {
  const { kafka, elasticsearch, postgres, gateRedis, schemaRegistry, probes } = engines
  const codecs = {
    notification: createCodec({ topic: notificationPushTopic, registry: schemaRegistry }),
    outcome: createCodec({ topic: notificationOutcomeTopic, registry: schemaRegistry }),
    fanout: createCodec({ topic: notificationFanoutTopic, registry: schemaRegistry }),
  }
  await Promise.all(Object.values(codecs).map((codec) => codec.encodeBatch([]))) // are they registered?
  const metrics = { ...createNotificationMetrics(registry), ...createInventoryMetrics(registry) }
  const gate = createGate({ redis: gateRedis, config })
  const admit = createAdmission({ pool: postgres, gate, metrics, log })

  const createOutput = (role: string): Output => {
    const publisher = createPublisher({ kafka, log })
    shutdown.add(`publisher of ${role}`, publisher.close)
    return {
      publisher,
      produceNotifications: createNotificationProducer({
        admit,
        codecs,
        publisher,
        config,
        clock: systemClock,
        metrics,
      }),
      publishFanouts: createFanoutPublisher({ codec: codecs.fanout, publisher }),
      recordStop: createRecordStop({ codec: codecs.outcome, publisher, config }),
    }
  }

  return {
    config,
    log,
    metrics,
    engines,
    fanoutCodec: codecs.fanout,
    createOutput,
    productStates: createProductStates({ client: engines.redis, config }),
    readProductNames: createProductNames({ client: elasticsearch, config }),
    rightOfWay: createRightOfWay(),
    resolveTargets: createTargetResolver({ client: elasticsearch, config, readFields: engines.readFields }),
    consumerOptions: {
      kafka,
      policy: retryPolicy(config),
      dependencies: probes,
      registry,
      log,
      onFatal: fail,
      sessionTimeoutMs: config.CONSUMER_SESSION_TIMEOUT_MS,
      drainTimeoutMs: config.CONSUMER_DRAIN_TIMEOUT_MS,
    },
  }
}

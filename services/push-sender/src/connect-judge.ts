import { findSuperseded } from '@dropbell/database/find-superseded'
import { createGate } from '@dropbell/notification-producer/gate'
import { createLocalDateAt } from '@dropbell/notification-producer/local-date'
import { createProductIndex } from '@dropbell/offers/product-index'
import { createReadProductStates } from '@dropbell/offers/product-state'
import { createReadKnownStates } from '@dropbell/offers/read-known-states'
import type { Logger } from '@dropbell/shared/log'
import type { Engines } from './connect-engines.ts'
import { createJudge, type JudgeDeliveries } from './judge-deliveries.ts'
import type { PushSenderConfig } from './service-config.ts'

export interface ConnectJudgeOptions {
  config: PushSenderConfig
  engines: Engines
  log: Logger
}

/** The judge, with the ledger, the states of products and the slots of users to ask. */
export const connectJudge = ({ config, engines, log }: ConnectJudgeOptions): JudgeDeliveries =>
  createJudge({
    findSuperseded: (notificationIds) => findSuperseded(engines.postgres, notificationIds),
    readKnownStates: createReadKnownStates({
      readProductStates: createReadProductStates({ client: engines.redis }),
      readProductIndex: createProductIndex({ client: engines.elasticsearch, config }),
      onIndexFailure: (err) => log.warn({ err }, 'products could not be read from the index'),
    }),
    resend: createGate({ redis: engines.gateRedis, config }).resend,
    localDateAt: createLocalDateAt({
      onUnknownZone: (zone, firstTime) => {
        if (firstTime) log.warn({ detail: zone }, 'timezone of a user does not exist')
      },
    }),
    config,
    log,
  })

import type { RecommendationRunRow } from '@dropbell/database/recommendation-run-row'
import type { Admit } from '@dropbell/notification-producer/admit'
import type { Clock } from '@dropbell/notification-producer/clock'
import { composeRecommendation } from '@dropbell/notification-producer/compose-recommendation'
import type { NotificationConfig } from '@dropbell/notification-producer/config'
import { recommendationTitle } from '@dropbell/notification-producer/notification-texts'
import {
  createPersonalProducer,
  type PersonalEvent,
  type Personalise,
  type PersonalPart,
} from '@dropbell/notification-producer/produce-personal-notifications'
import type { PublishBatches } from '@dropbell/notification-producer/publish-batches'
import { dailyRecommendation } from '@dropbell/notification-producer/subject-of'
import { beginTrace } from '@dropbell/shared/kafka/traceparent'
import type { OpenSlots } from './open-slots.ts'
import type { AskRecommendations, RecommendationApi } from './recommendation-api.ts'
import { retryTransient } from './retry-transient.ts'

export const jobName = 'dailyRecommendationBatch'

export interface ProductionWatch {
  signal: AbortSignal
  /** Asked before every publish. */
  assertFence(): Promise<void>
  slots: Pick<OpenSlots, 'watch' | 'close'>
}

/** Tells some users of the run what is recommended to them. */
export type ProduceRecommendations = (
  run: Pick<RecommendationRunRow, 'day' | 'as_of'>,
  parts: AsyncIterable<readonly string[]>,
  watch: ProductionWatch,
) => AsyncGenerator<PersonalPart, void, undefined>

export interface ProduceRecommendationsDeps {
  admit: Admit
  api: Pick<RecommendationApi, 'begin'>
  publish: PublishBatches
  config: NotificationConfig
  clock: Clock
}

// The API is busy with these while a part is published and committed.
const partsAhead = 2

export const createProduceRecommendations =
  (deps: ProduceRecommendationsDeps): ProduceRecommendations =>
  (run, parts, { signal, assertFence, slots }) => {
    const admit = slots.watch((requests, now) => retryTransient(() => deps.admit(requests, now), signal))
    const produce = createPersonalProducer({
      ...deps,
      personalise: personaliseBy(deps.api.begin()),
      admit,
      publish: (batches) =>
        retryTransient(async () => {
          await assertFence()
          for (const { notifications } of batches) slots.close(notifications.map(({ userId }) => userId))
          await deps.publish(batches)
        }, signal),
    })
    return produce(eventOf(run), parts, { signal, partsAhead })
  }

const personaliseBy =
  (ask: AskRecommendations): Personalise =>
  async (userId, signal) => {
    const answer = await ask(userId, signal)
    if (answer.kind !== 'recommended') return answer
    const { recommendation } = answer
    return {
      kind: 'message',
      productId: recommendation.products[0]?.productId ?? dailyRecommendation,
      compose: (language) => composeRecommendation(recommendation, language),
    }
  }

/** The same for every run of a day, so that it makes the same notifications. */
const eventOf = ({ day, as_of }: Pick<RecommendationRunRow, 'day' | 'as_of'>): PersonalEvent => ({
  type: 'RECOMMENDATION',
  eventId: `${jobName}:${day}`,
  eventTimestamp: as_of.getTime(),
  subject: dailyRecommendation,
  traceparent: beginTrace(),
  titleIn: (language) => recommendationTitle[language],
})

import { TOPICS } from '@dropbell/schemas/topics'
import type { Config, ConfigFragment } from '@dropbell/shared/config'
import { count, milliseconds } from '@dropbell/shared/config/variables'
import { z } from 'zod'

const topicNames = TOPICS.map(({ name }) => name)

const retentionByTopic = () =>
  z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .pipe(z.array(z.string().regex(/^[\w.-]+=(-1|[1-9]\d{0,15})$/)))
    .transform(
      (parts): Readonly<Record<string, number>> =>
        Object.fromEntries(parts.map((part) => part.split('=')).map(([topic, ms]) => [topic, Number(ms)])),
    )
    .meta({ expected: 'topic=milliseconds (-1: for ever), several separated by commas' })

const shape = {
  // A broker on its own must be enough to begin with; `topics apply` says so when the cluster could do better.
  TOPICS_REPLICATION_FACTOR: count({ min: 1, max: 32_767 })
    .default(1)
    .describe('On how many brokers a topic is kept. 3 in production: from 3 on, two of them must have a record.'),
  TOPICS_RETENTION_MS: retentionByTopic()
    .optional()
    .describe('How long a topic keeps its records, where it is not the declared time.'),
  TOPICS_DLQ_RETENTION_MS: milliseconds({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('How long dead letters are kept, if not 60 days.'),
}

/** How `dropbell topics` makes and judges the topics. */
export const topicsConfig: ConfigFragment<typeof shape> = {
  shape,
  check: ({ TOPICS_RETENTION_MS: retention = {} }, fault) => {
    const unknown = Object.keys(retention).filter((name) => !topicNames.includes(name))
    if (unknown.length === 0) return
    fault('TOPICS_RETENTION_MS', `names ${unknown.join(', ')}`, `topics among ${topicNames.join(', ')}`)
  },
}

export type TopicsConfig = Config<typeof topicsConfig>

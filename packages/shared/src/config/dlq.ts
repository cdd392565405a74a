import type { Config, ConfigFragment } from '../config.ts'
import { count, flag, milliseconds, text } from './variables.ts'

const shape = {
  DLQ_ENABLED: flag()
    .default(true)
    .describe('Whether a record that keeps failing is dead-lettered. If not, it is retried for ever, never skipped.'),
  DLQ_TOPIC_SUFFIX: text().default('.dlq').describe('What a topic of dead letters is called, after its topic.'),
  DLQ_MAX_RETRIES: count({ max: 1_000 }).default(3).describe('Retries of a failing record, after its first try.'),
  DLQ_RETRY_BACKOFF_MS: milliseconds().default(1_000).describe('Wait before each retry; it does not grow.'),
}

export const dlqConfig: ConfigFragment<typeof shape> = {
  shape,
  check: ({ DLQ_TOPIC_SUFFIX: suffix }, fault) => {
    if (suffix === undefined || /^[\w.-]+$/.test(suffix)) return
    fault('DLQ_TOPIC_SUFFIX', `is "${suffix}"`, 'letters, digits, dots, dashes and underscores')
  },
}

export type DlqConfig = Config<typeof dlqConfig>

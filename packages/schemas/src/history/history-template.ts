import type { estypes } from '@elastic/elasticsearch'

// Above 100 to 200, which the templates have that Elasticsearch brings along.
const priority = 500

const keyword = { type: 'keyword' } as const
const date = { type: 'date' } as const
const integer = { type: 'integer' } as const

/**
 * All that a document may have, which is what an outcome has and `sentAt`. Results are plain objects: they are read
 * with their document, and what asks for two of their fields at once may find them in two results. Nested ones would
 * cost a hidden document each, and dashboards cannot count them.
 */
const properties: Record<string, estypes.MappingProperty> = {
  notificationId: keyword,
  userId: keyword,
  productId: keyword,
  type: keyword,
  title: { type: 'text' },
  channels: keyword,
  status: keyword,
  sentAt: date,
  eventId: keyword,
  reason: keyword,
  blockingEventId: keyword,
  dayCount: integer,
  revision: integer,
  occurredAt: date,
  eventTimestamp: date,
  traceparent: keyword,
  results: {
    properties: { channel: keyword, target: keyword, attempt: integer, code: keyword, latencyMs: integer, at: date },
  },
}

/** For the indices of all months, each of which is behind the alias from its first moment. */
export const historyTemplate = (alias: string) =>
  ({
    name: `dropbell-${alias}`,
    index_patterns: [`${alias}-*`],
    priority,
    template: {
      // One node has no place for a copy; any more have.
      settings: { number_of_shards: 3, auto_expand_replicas: '0-1' },
      aliases: { [alias]: {} },
      mappings: { dynamic: 'strict', properties },
    },
  }) satisfies estypes.IndicesPutIndexTemplateRequest

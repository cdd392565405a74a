import { DEFAULT_DLQ_SUFFIX, QUARANTINE_SUFFIX } from '@dropbell/schemas/topics'

export const isQuarantineName = (topic: string, dlqSuffix: string = DEFAULT_DLQ_SUFFIX): boolean =>
  topic.endsWith(`${dlqSuffix}${QUARANTINE_SUFFIX}`) && topic.length > dlqSuffix.length + QUARANTINE_SUFFIX.length

/** Of whoever: ours are declared, those of others are known by their name. */
export const isDlqName = (topic: string, dlqSuffix: string = DEFAULT_DLQ_SUFFIX): boolean =>
  (topic.endsWith(dlqSuffix) && topic.length > dlqSuffix.length) || isQuarantineName(topic, dlqSuffix)

import { z } from 'zod'
import type { DeadLetter } from './dead-letter.ts'

export const markActions = ['replayed', 'quarantined', 'dismissed'] as const
export type MarkAction = (typeof markActions)[number]

const markSchema = z.object({
  version: z.literal(1),
  action: z.enum(markActions),
  by: z.string(),
  /** ISO 8601. */
  at: z.string(),
  run: z.string(),
  /** The topic it was written to; null for a dismissal. */
  target: z.string().nullable(),
  /**
   * That of the dead letter, in milliseconds. A topic that was deleted and created again gives the same places to other
   * records: a mark is for the record that had this time.
   */
  timestamp: z.number(),
})

/** That a dead letter was dealt with, as it stands in the state topic. */
export type Mark = z.infer<typeof markSchema>

export const markKey = ({ topic, partition, offset }: Pick<DeadLetter, 'topic' | 'partition' | 'offset'>): string =>
  `${topic}/${partition}/${offset}`

/** Undefined for the key of a run. A topic's name has no slash. */
export const parseMarkKey = (key: string): { topic: string; partition: number; offset: number } | undefined => {
  const found = /^([^/]+)\/(\d+)\/(\d+)$/.exec(key)
  if (found === null) return undefined
  return { topic: found[1] as string, partition: Number(found[2]), offset: Number(found[3]) }
}

export const encodeMark = (mark: Mark): Buffer => Buffer.from(JSON.stringify(mark))

export const decodeMark = (value: Buffer): Mark | undefined => decodeJson(markSchema, value)

/** Undefined if it is not what we write, or what a later version writes. */
export const decodeJson = <T>(schema: z.ZodType<T>, value: Buffer): T | undefined => {
  try {
    return schema.parse(JSON.parse(value.toString()))
  } catch {
    return undefined
  }
}

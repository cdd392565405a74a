import { z } from 'zod'

const timing = {
  /** Between taking (or not taking) a message and what is done then. */
  latencyMs: z.number().int().min(0).max(600_000).optional(),
  /** For so many messages; for all of them if left out. */
  times: z.number().int().min(1).optional(),
}

/** Whether the phone gets the message, whatever the sender is told. */
const accepted = z.boolean()

/** What happens to a text message. Taking comes first, then the latency, then the answer or the lack of one. */
export const smsBehaviourSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('accept'), ...timing }),
  z.strictObject({
    do: z.literal('refuse'),
    status: z.number().int().min(300).max(599),
    body: z.string().optional(),
    /** The header as it is: seconds or a date. */
    retryAfter: z.string().optional(),
    /** Of a redirect. */
    location: z.string().optional(),
    ...timing,
  }),
  /** Cuts the connection. */
  z.strictObject({ do: z.literal('drop'), accepted, ...timing }),
  z.strictObject({ do: z.literal('silence'), accepted, ...timing }),
])

export type SmsBehaviour = z.infer<typeof smsBehaviourSchema>

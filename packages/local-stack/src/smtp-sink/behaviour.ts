import { z } from 'zod'

const timing = {
  /** Before what is done. */
  latencyMs: z.number().int().min(0).max(600_000).optional(),
  /** For so many mails; for all of them if left out. */
  times: z.number().int().min(1).optional(),
}

/**
 * `mail` and `rcpt` instead of the reply to the command; `body` at the first bytes of the mail; `data` after the final
 * dot. Before a recipient is known, at `mail`, only what is scripted for all can count.
 */
const at = z.enum(['mail', 'rcpt', 'body', 'data'])

/** Of `data`: whether the recipient gets the mail, whatever the sender is told. */
const accepted = z.boolean().optional()

/** What happens to a mail. */
export const smtpBehaviourSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('accept'), ...timing }),
  z.strictObject({
    do: z.literal('refuse'),
    at: at.exclude(['body']),
    code: z.number().int().min(400).max(599),
    ...timing,
  }),
  /** Cuts the connection. */
  z.strictObject({ do: z.literal('drop'), at, accepted, ...timing }),
  /** Says nothing more on this connection. */
  z.strictObject({ do: z.literal('silence'), at: at.exclude(['body']), accepted, ...timing }),
])

export type SmtpBehaviour = z.infer<typeof smtpBehaviourSchema>

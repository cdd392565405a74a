import { randomUUID } from 'node:crypto'
import type { HttpExchange } from '../simulator/http-side.ts'
import type { Mailbox } from '../simulator/mailbox.ts'
import type { SmsBehaviour } from './behaviour.ts'

/** A message that was taken, as it came. */
export interface SmsMessage {
  readonly id: string
  readonly to: string
  readonly text: string
  readonly idempotencyKey: string | null
  readonly authorization: string | null
  readonly contentType: string
  readonly body: string
}

export type SmsAccount = Mailbox<SmsBehaviour, SmsMessage> & {
  /** What was taken, by its idempotency key. */
  readonly known: Map<string, SmsMessage>
}

/** `POST /accounts/{account}/messages`, JSON or form, with `to` and `text`. */
export const answerMessage = (exchange: HttpExchange, account: SmsAccount): void => {
  const { to, text } = fieldsOf(exchange)
  if (!to || !text) {
    exchange.respond(400, { error: 'to and text are needed' })
    return
  }
  account.seen(to)
  const behaviour = account.next(to)
  const message = takes(behaviour) ? take(exchange, { to, text }, account) : undefined
  if (behaviour.latencyMs) setTimeout(() => perform(exchange, behaviour, message), behaviour.latencyMs)
  else perform(exchange, behaviour, message)
}

const takes = (behaviour: SmsBehaviour): boolean =>
  behaviour.do === 'accept' || ((behaviour.do === 'drop' || behaviour.do === 'silence') && behaviour.accepted)

/** A key that is known already is answered as before, and reaches nobody again. */
const take = (exchange: HttpExchange, { to, text }: { to: string; text: string }, account: SmsAccount): SmsMessage => {
  const { headers, body } = exchange
  const key = headers['idempotency-key']
  const idempotencyKey = typeof key === 'string' ? key : null
  const known = idempotencyKey === null ? undefined : account.known.get(idempotencyKey)
  if (known !== undefined) return known
  const about = { authorization: headers.authorization ?? null, contentType: headers['content-type'] ?? '', body }
  const message = { id: randomUUID(), to, text, idempotencyKey, ...about }
  if (idempotencyKey !== null) account.known.set(idempotencyKey, message)
  account.accept(to, message)
  return message
}

const perform = (exchange: HttpExchange, behaviour: SmsBehaviour, message: SmsMessage | undefined): void => {
  switch (behaviour.do) {
    case 'accept':
      exchange.respond(202, { id: message?.id, status: 'queued' })
      break
    case 'refuse':
      exchange.respond(behaviour.status, behaviour.body ?? { error: 'scripted' }, {
        ...(behaviour.retryAfter !== undefined && { 'retry-after': behaviour.retryAfter }),
        ...(behaviour.location !== undefined && { location: behaviour.location }),
      })
      break
    case 'drop':
      exchange.drop()
      break
    case 'silence':
      break
  }
}

const fieldsOf = ({ headers, body }: HttpExchange): Readonly<Record<string, string | undefined>> => {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(body))
  }
  try {
    const { to, text } = JSON.parse(body) as { to?: unknown; text?: unknown }
    return { ...(typeof to === 'string' && { to }), ...(typeof text === 'string' && { text }) }
  } catch {
    return {}
  }
}

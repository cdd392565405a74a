import { defaultRecipient, type Recipient } from '@dropbell/database/read-recipients'
import { createLocalDateAt } from '@dropbell/notification-producer/local-date'
import type { Inquiry } from './inquiry.ts'
import type { UserNow } from './trace.ts'

/** A zone that does not exist counts as the default one, as it does for the gate. */
export const localDateAt = createLocalDateAt({ onUnknownZone: () => {} })

/** Undefined where the preferences cannot be read; what Redis does not say is null. */
export const describeUser = async (inquiry: Inquiry, userId: string, now: number): Promise<UserNow | null> => {
  const recipient = await inquiry.ask('ledger', (ledger) => ledger.recipient(userId))
  if (recipient === undefined) return null
  const { timezone, optedOut, channels, quietHours }: Recipient = recipient
  const date = localDateAt(now, timezone)
  const count = (await inquiry.ask('redis', (redis) => redis.countOfDay(userId, date))) ?? null
  return { userId, timezone, optedOut: [...optedOut], channels, quietHours, today: { date, count } }
}

export const zoneOf = (user: UserNow | null): string => user?.timezone ?? defaultRecipient.timezone

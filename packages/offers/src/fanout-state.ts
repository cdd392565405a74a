import { redisAnswers } from '@dropbell/shared/redis-answers'
import type { Redis } from 'ioredis'
import type { TriggerKind } from './detect-trigger.ts'

export interface AudienceCursor {
  readonly userId: string
  readonly servedUsers: number
}

/** How far a fan-out has come, as far as anybody knows. */
export interface FanoutState {
  /** Everybody up to here is told or refused. */
  readonly reached: AudienceCursor | undefined
  /** So many users had been served when the newest request was published: an older request has nothing to say. */
  readonly handedOverAt: number
  readonly ended: boolean
}

/** One event can be told as one kind only, but the kind is what its request says. */
export const fanoutIdOf = (kind: TriggerKind, eventId: string): string => `${kind}:${eventId}`

export const defaultFanoutPrefix = 'dropbell:fanout:'

const { answer } = redisAnswers('FANOUT_PROGRESS_UNAVAILABLE', 'Redis did not answer for the progress of a fan-out')

export const createReadFanoutState =
  ({ client, keyPrefix = defaultFanoutPrefix }: { client: Redis; keyPrefix?: string | undefined }) =>
  async (fanoutId: string): Promise<FanoutState> => {
    const { userId, servedUsers, handedOverAt = 0, ended } = await answer(client.hgetall(`${keyPrefix}${fanoutId}`))
    const reached = userId === undefined ? undefined : { userId, servedUsers: Number(servedUsers) }
    return { reached, handedOverAt: Number(handedOverAt), ended: ended !== undefined }
  }

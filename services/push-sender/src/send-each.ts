import { setMaxListeners } from 'node:events'
import { notTaken, type TransportOptions } from './channel-transport.ts'
import type { Outgoing, SendResult } from './provider.ts'

/** Sends one message. Has to settle soon after `signal`, which ends with the deadline or when the batch is called off. */
export type SendOne = (outgoing: Outgoing, signal: AbortSignal) => Promise<SendResult>

/** For protocols that carry one message at a time: so many at once, until all are sent or there is no more time. */
export const sendEach = async (
  messages: readonly Outgoing[],
  { deadlineAt, signal, holdBack, settle }: TransportOptions,
  { atOnce, sendOne }: { atOnce: number; sendOne: SendOne },
): Promise<void> => {
  const ending = new AbortController()
  setMaxListeners(atOnce * 4, ending.signal) // of every message that is under way
  const callOff = (): void => ending.abort(calledOff)
  if (signal?.aborted) callOff()
  signal?.addEventListener('abort', callOff, { once: true })
  const timer = setTimeout(() => ending.abort(deadlinePassed), Math.max(0, deadlineAt - performance.now()))

  let next = 0
  const work = async (): Promise<void> => {
    while (next < messages.length) {
      const index = next++
      const early = ending.signal.aborted ? notSent(ending.signal) : holdBack()
      settle(index, early ?? (await sendOne(messages[index] as Outgoing, ending.signal)))
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, messages.length) }, work))
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', callOff)
  }
}

const calledOff = new Error('The batch was called off')
const deadlinePassed = new Error('The deadline has passed')

/** Of a message that was given up before it was written. */
export const notSent = (signal: AbortSignal): SendResult =>
  notTaken(signal.reason === calledOff ? 'ABORTED_BEFORE_SEND' : 'NOT_SENT_IN_TIME')

/** Of a message that was given up after it was written. */
export const givenUpCode = (signal: AbortSignal): 'ABORTED' | 'DEADLINE_EXCEEDED' =>
  signal.reason === calledOff ? 'ABORTED' : 'DEADLINE_EXCEEDED'

import { createRequire } from 'node:module'

interface RequestQueue {
  pending: readonly unknown[]
  throttledUntil: number
  scheduleCheckPendingRequests(): void
}

const guarded = Symbol.for('dropbell.idleTimerGuard')

/**
 * kafkajs 2.2.4 re-arms a timer every millisecond on each connection that has ever had a request, for as long as
 * the process lives (tulios/kafkajs#1751): the timer looks for requests to send, finds none, and is set again.
 * Here it is set only when there is something to look for: requests that wait, or a throttle in force.
 *
 * Nothing waits for it otherwise. A request that has to queue calls this method itself; one that is answered or
 * times out makes the queue look at once; the timeouts of requests in flight have an interval of their own.
 *
 * The method is on the prototype, so one replacement serves all connections of the process, those that exist included.
 */
export const installIdleTimerGuard = (prototype: RequestQueue = requestQueuePrototype()): void => {
  if (Object.hasOwn(prototype, guarded)) return
  const schedule = prototype.scheduleCheckPendingRequests
  Object.defineProperty(prototype, guarded, { value: true })
  prototype.scheduleCheckPendingRequests = function guardedSchedule(this: RequestQueue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this)
  }
}

// Not part of the public API and without types, hence `require`; the version of kafkajs is pinned.
const requestQueuePrototype = (): RequestQueue =>
  createRequire(import.meta.url)('kafkajs/src/network/requestQueue').prototype

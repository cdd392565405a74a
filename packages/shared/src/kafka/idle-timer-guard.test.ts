import { createRequire } from 'node:module'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { installIdleTimerGuard } from './idle-timer-guard.ts'

const OriginalQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue')
const original = OriginalQueue.prototype.scheduleCheckPendingRequests

/** A copy of kafkajs's class to put the guard on, so that its own stays as it is for comparison. */
const guardedQueueClass = () => {
  class Queue extends OriginalQueue {}
  Queue.prototype.scheduleCheckPendingRequests = original
  installIdleTimerGuard(Queue.prototype as never)
  return Queue
}

const logger = { debug() {}, warn() {} }

const createQueue = (Queue: typeof OriginalQueue, options = {}) => {
  const queue = new Queue({
    requestTimeout: 500,
    enforceRequestTimeout: true,
    broker: 'b',
    clientId: 'c',
    logger,
    ...options,
  })
  const check = vi.spyOn(queue, 'checkPendingRequests')
  const sent: number[] = []
  const push = (correlationId: number) =>
    new Promise((resolve, reject) => {
      queue.push({
        entry: { apiKey: 3, apiName: 'Metadata', apiVersion: 1, correlationId, resolve, reject },
        expectResponse: true,
        sendRequest: () => sent.push(correlationId),
      })
    })
  const answer = (correlationId: number) => queue.fulfillRequest({ correlationId, payload: null, size: 0 })
  return { queue, check, push, answer, sent }
}

describe('the idle-timer guard', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is needed: without it an idle queue of kafkajs wakes up every millisecond', async () => {
    const { push, answer, check } = createQueue(OriginalQueue)
    const answered = push(1)
    answer(1)
    await answered
    check.mockClear()
    await vi.advanceTimersByTimeAsync(100)
    expect(check.mock.calls.length).toBeGreaterThan(90)
    expect(vi.getTimerCount()).toBe(1)
  })

  it('leaves no timer on an idle queue', async () => {
    const { push, answer, check } = createQueue(guardedQueueClass())
    const answered = push(1)
    answer(1)
    await answered
    expect(vi.getTimerCount()).toBe(0)
    check.mockClear()
    await vi.advanceTimersByTimeAsync(100)
    expect(check).not.toHaveBeenCalled()
  })

  it('lets requests beyond the limit in flight go out as others are answered', async () => {
    const { push, answer, sent } = createQueue(guardedQueueClass(), { maxInFlightRequests: 1 })
    const requests = [push(1), push(2)]
    await vi.advanceTimersByTimeAsync(50)
    expect(sent).toEqual([1])
    answer(1)
    expect(sent).toEqual([1, 2])
    answer(2)
    await Promise.all(requests)
    await vi.advanceTimersByTimeAsync(20)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends what waits for the end of a throttle, when it ends', async () => {
    const { queue, push, answer, sent } = createQueue(guardedQueueClass())
    queue.maybeThrottle(200)
    const request = push(1)
    await vi.advanceTimersByTimeAsync(199)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(20)
    expect(sent).toEqual([1])
    answer(1)
    await request
    await vi.advanceTimersByTimeAsync(20)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends what is asked for during a throttle that began on an idle queue', async () => {
    const { queue, push, answer, sent } = createQueue(guardedQueueClass())
    void push(1)
    queue.maybeThrottle(200)
    answer(1)
    await vi.advanceTimersByTimeAsync(100)
    void push(2)
    expect(sent).toEqual([1])
    await vi.advanceTimersByTimeAsync(120)
    expect(sent).toEqual([1, 2])
  })

  it('keeps the timeouts of requests, and sends what waited behind one that timed out', async () => {
    const { queue, push, sent } = createQueue(guardedQueueClass(), { maxInFlightRequests: 1 })
    queue.scheduleRequestTimeoutCheck()
    const first = expect(push(1)).rejects.toThrow('timed out')
    const second = expect(push(2)).rejects.toThrow('timed out')
    await vi.advanceTimersByTimeAsync(700)
    await first
    expect(sent).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(700)
    await second
    queue.destroy()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is put on kafkajs itself, once', () => {
    installIdleTimerGuard()
    const once = OriginalQueue.prototype.scheduleCheckPendingRequests
    installIdleTimerGuard()
    expect(once).not.toBe(original)
    expect(OriginalQueue.prototype.scheduleCheckPendingRequests).toBe(once)
  })
})

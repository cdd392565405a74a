import type { Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import type { SendResult } from '../provider.ts'
import { postToGateway } from './gateway-request.ts'

const accepted: SendResult = { kind: 'accepted', latencyMs: 1, providerId: null }

/** A pool that calls its handler as undici may, but does not on demand. */
const posting = (signal = new AbortController().signal) => {
  const aborted: string[] = []
  let handler: Dispatcher.DispatchHandler = {}
  const pool = {
    dispatch: (_: Dispatcher.DispatchOptions, given: Dispatcher.DispatchHandler) => {
      handler = given
      return true
    },
  }
  const controller = {
    abort: (reason: Error) => {
      aborted.push(reason.message)
      handler.onResponseError?.(controller, reason)
    },
  } as unknown as Dispatcher.DispatchController
  const result = postToGateway(pool, { path: '/', headers: {}, body: '' }, signal, () => accepted)
  return { result, aborted, start: () => handler.onRequestStart?.(controller, {}), handler, controller }
}

describe('a request to the gateway', () => {
  it('is not written a second time: what became of the first nobody knows', async () => {
    const { result, aborted, start } = posting()
    start()
    expect(aborted).toEqual([])
    start()
    expect(aborted).toEqual(['not to be written'])
    expect(await result).toMatchObject({ kind: 'unknown', code: 'CONNECTION_LOST' })
  })

  it('is not written at all once it was given up', async () => {
    const controller = new AbortController()
    const { result, aborted, start } = posting(controller.signal)
    controller.abort()
    expect(await result).toMatchObject({ kind: 'not-taken', code: 'NOT_SENT_IN_TIME' })
    start()
    expect(aborted).toEqual(['not to be written'])
  })

  it('has its answer in the status, also if the rest is lost', async () => {
    const { result, start, handler, controller } = posting()
    start()
    handler.onResponseStart?.(controller, 202, {})
    handler.onResponseError?.(controller, new Error('lost'))
    expect(await result).toEqual(accepted)
  })
})

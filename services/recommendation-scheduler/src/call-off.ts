import { setMaxListeners } from 'node:events'

export interface CallOff {
  readonly signal: AbortSignal
  callOff(): void
}

/** A signal of its own, aborted by the other one or by hand. */
export const callOffWith = (outer: AbortSignal): CallOff => {
  const controller = new AbortController()
  // Every request to the API listens to it.
  setMaxListeners(0, controller.signal)
  const follow = (): void => controller.abort(outer.reason)
  if (outer.aborted) follow()
  outer.addEventListener('abort', follow, { once: true })
  const callOff = (): void => {
    outer.removeEventListener('abort', follow)
    controller.abort()
  }
  return { signal: controller.signal, callOff }
}

/** False as soon as it is aborted. */
export const unlessAborted = async (work: Promise<boolean>, signal: AbortSignal): Promise<boolean> => {
  if (signal.aborted) return false
  let abort = (): void => {}
  const aborted = new Promise<false>((resolve) => {
    abort = () => resolve(false)
    signal.addEventListener('abort', abort, { once: true })
  })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

import { expect, it } from 'vitest'
import { untilInterrupted } from './until-interrupted.ts'

it('gives the result of work that is not interrupted', async () => {
  expect(await untilInterrupted(new AbortController().signal, Promise.resolve('done'))).toBe('done')
})

it('stops waiting the moment it is interrupted', async () => {
  const controller = new AbortController()
  const waiting = untilInterrupted(controller.signal, new Promise(() => {}))
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED', exitCode: 130 })
})

it('does not begin to wait after an interruption', async () => {
  await expect(untilInterrupted(AbortSignal.abort(), new Promise(() => {}))).rejects.toMatchObject({ exitCode: 130 })
})

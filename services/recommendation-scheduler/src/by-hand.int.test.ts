import { runFromSource } from '@dropbell/local-stack/run-from-source'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createSchedulerWorld, day, type Lane, type SchedulerWorld, token } from './testing/scheduler-world.ts'

vi.setConfig({ testTimeout: 60_000 })

let world: SchedulerWorld
let lane: Lane
beforeAll(async () => {
  world = await createSchedulerWorld()
})
afterEach(() => lane?.stop())
afterAll(() => world?.close())

it('the command begins a run, watches it to its end, and shows it', async () => {
  lane = await world.openLane()
  await lane.addUsers(0, 25)
  const { url } = await lane.startHere()
  const env = { RECOMMENDATION_TRIGGER_TOKEN: token }
  const dropbell = (...args: string[]) =>
    runFromSource('packages/cli/src/main.ts', ['recommendations', ...args, '--url', url], env).result

  const run = await dropbell('run')
  expect(run.code).toBe(0)
  expect(run.stdout).toMatch(/status +DONE/)
  expect(run.stdout).toMatch(/sent +25/)
  const status = await dropbell('status', '--day', day, '--json')
  expect(status.code).toBe(0)
  expect(JSON.parse(status.stdout)).toMatchObject({ day, status: 'DONE', users: 25, sent: 25, leftOut: 0 })
})

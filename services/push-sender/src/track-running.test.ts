import { describe, expect, it } from 'vitest'
import { trackRunning } from './track-running.ts'

describe('trackRunning', () => {
  it('waits for what runs, also for what fails, and for nothing that has ended', async () => {
    const releases: (() => void)[] = []
    const tracked = trackRunning(
      (fails: boolean) =>
        new Promise<void>((resolve, reject) => {
          releases.push(() => (fails ? reject(new Error('failed')) : resolve()))
        }),
    )
    await tracked.ended()
    const works = [tracked.run(false), tracked.run(true)]
    const failure = expect(works[1]).rejects.toThrow('failed')
    let ended = false
    const ending = tracked.ended().then(() => {
      ended = true
    })
    releases[0]?.()
    await works[0]
    expect(ended).toBe(false)
    releases[1]?.()
    await failure
    await ending
    expect(ended).toBe(true)
  })
})

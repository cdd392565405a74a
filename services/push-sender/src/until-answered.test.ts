import { PermanentError, TransientError } from '@dropbell/shared/errors'
import { describe, expect, it } from 'vitest'
import { untilAnswered } from './until-answered.ts'

const passing = new TransientError('POSTGRES_UNAVAILABLE', 'gone')

const askUntil = (answers: (string | Error)[], deadline: number) => {
  let asked = 0
  const ask = async () => {
    const answer = answers[asked++]
    if (answer instanceof Error) throw answer
    return answer
  }
  return { answered: untilAnswered(ask, { wait: async () => {}, deadline }), asked: () => asked }
}

describe('untilAnswered', () => {
  it('asks again after a failure that may pass', async () => {
    const { answered, asked } = askUntil([passing, passing, 'yes'], Number.POSITIVE_INFINITY)
    expect(await answered).toBe('yes')
    expect(asked()).toBe(3)
  })

  it('gives up at once on one that will not, and in time on any', async () => {
    const permanent = new PermanentError('POSTGRES_REFUSED', 'no')
    await expect(askUntil([permanent, 'yes'], Number.POSITIVE_INFINITY).answered).rejects.toBe(permanent)
    await expect(askUntil([passing, 'yes'], performance.now()).answered).rejects.toBe(passing)
  })
})

import { describe, expect, it } from 'vitest'
import { PermanentError } from './errors.ts'
import { createLogger } from './log.ts'
import { sensitiveFields } from './log-fields.ts'

const capture = (level = 'info') => {
  const lines: string[] = []
  const log = createLogger({ level, service: 'bell', destination: { write: (line) => void lines.push(line) } })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') }
}

describe('createLogger', () => {
  it('writes JSON lines with ISO time, the level by name and the service', () => {
    const { log, last } = capture()
    log.info({ durationMs: 3 }, 'something done')
    expect(last()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'bell',
      durationMs: 3,
      msg: 'something done',
    })
  })

  it('takes a declared field only with its declared type', () => {
    const { log, last } = capture()
    // @ts-expect-error a duration is a number
    log.info({ durationMs: '3 ms' }, 'something done')
    expect(last().durationMs).toBe('3 ms')
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = capture('warn')
    log.info('quiet')
    expect(lines).toEqual([])
  })

  it.each(sensitiveFields.map((field) => field.replace(/[["\]]/g, '')))(
    'hides %s on each of the first three levels',
    (field) => {
      const { log, lines, last } = capture()
      log.info({ [field]: 'hunter2', a: { [field]: 'hunter2', b: { [field]: 'hunter2', kept: 1 } } }, 'seen')
      expect(lines.join()).not.toContain('hunter2')
      expect(last().a.b).toEqual({ [field]: '[redacted]', kept: 1 })
    },
  )

  it('hides the authorization header of a request', () => {
    const { log, last } = capture()
    log.info({ req: { headers: { authorization: 'Bearer hunter2' } } }, 'seen')
    expect(last().req.headers.authorization).toBe('[redacted]')
  })

  it('writes code, stack and causes of an error, without credentials in their texts', () => {
    const { log, lines, last } = capture()
    const cause = new Error('cannot reach redis://:hunter2@cache')
    log.error({ err: new PermanentError('BROKEN', 'it broke', { cause }) }, 'failed')
    expect(last().err).toMatchObject({
      type: 'PermanentError',
      code: 'BROKEN',
      message: 'it broke',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'Error', message: 'cannot reach redis://[redacted]@cache' },
    })
    expect(lines.join()).not.toContain('hunter2')
  })

  it('leaves out what client libraries hang on their errors', () => {
    const { log, lines } = capture()
    log.error(
      { err: Object.assign(new Error('refused'), { meta: { deep: { er: { headers: 'hunter2' } } } }) },
      'failed',
    )
    expect(lines.join()).not.toContain('hunter2')
  })

  it('writes something thrown that is not an error', () => {
    const { log, last } = capture()
    log.error({ err: 'just a text' }, 'failed')
    expect(last().err).toEqual({ type: 'string', message: 'just a text' })
  })
})

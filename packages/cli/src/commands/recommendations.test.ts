import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunAnswer, RunReport } from '@dropbell/schemas/recommendation-runs'
import { afterEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

const token = 'a-token-nobody-guesses'
const report: RunReport = {
  ...{ day: '2026-11-19', status: 'RUNNING', reason: null, expected: 40, users: 0, sent: 0, nothing: 0, refused: {} },
  ...{ leftOut: 0, fence: 1, startedAt: '2026-11-19T00:00:00.000Z', endedAt: null, heartbeatAgeMs: 100 },
}
const done: RunReport = { ...report, status: 'DONE', users: 40, sent: 40, endedAt: '2026-11-19T00:01:00.000Z' }

interface Given {
  status: number
  body: unknown
}

let server: Server | undefined
afterEach(() => void server?.close())

/** A scheduler that has these answers to give, one after the other; the last for ever. */
const serve = async (...answers: Given[]) => {
  const asked: { request: string; body: string; authorization: string | undefined }[] = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      asked.push({ request: `${request.method} ${request.url}`, body, authorization: request.headers.authorization })
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      response.writeHead(answer?.status ?? 500).end(JSON.stringify(answer?.body))
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { RECOMMENDATION_SCHEDULER_URL: url, RECOMMENDATION_TRIGGER_TOKEN: token }
  return { asked, run: (...args: string[]) => runInProcess(['recommendations', ...args], { env }) }
}

const started: RunAnswer = { result: 'started', run: report }

describe('recommendations run', () => {
  it('begins a run, watches it to its end and says what became of it', async () => {
    const { run, asked } = await serve(
      { status: 202, body: started },
      { status: 200, body: report },
      { status: 200, body: done },
    )
    const { code, stdout } = await run('run', '--day', '2026-11-19', '--take-over')
    expect(code).toBe(0)
    expect(stdout).toContain('DONE')
    expect(asked.map(({ request }) => request)).toEqual(['POST /runs', 'GET /runs/2026-11-19', 'GET /runs/2026-11-19'])
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ day: '2026-11-19', takeOver: true })
    expect(asked.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(true)
  })

  it.each([
    ['users were left out', { ...done, leftOut: 3 }],
    ['it was paused', { ...done, status: 'PAUSED', reason: 'PACING_DEADLINE' }],
    ['it failed', { ...done, status: 'FAILED', reason: 'REDIS_UNAVAILABLE' }],
  ])('ends with 1 when %s', async (_, ending) => {
    const { run } = await serve({ status: 202, body: started }, { status: 200, body: ending })
    const { code, stdout } = await run('run', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ result: 'started', run: ending })
  })

  it('does not watch if told so', async () => {
    const { run, asked } = await serve({ status: 202, body: started })
    expect((await run('run', '--no-wait')).code).toBe(0)
    expect(asked).toHaveLength(1)
  })

  it('ends with 0 when there is nothing to do', async () => {
    const { run } = await serve({ status: 200, body: { result: 'nothing-to-do', run: done } })
    const { code, stdout } = await run('run')
    expect(code).toBe(0)
    expect(stdout).toContain('Nothing to do')
  })

  it.each([
    ['under-way', 'under way', '--take-over'],
    ['not-stale', 'alive', 'in 12 s'],
    ['locked', 'locked', 'in 12 s'],
  ])('ends with 1 and says what to do when the run is %s', async (result, message, hint) => {
    const { run } = await serve({ status: 409, body: { result, run: report, retryAfterMs: 12_000 } })
    const { code, stderr } = await run('run')
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it.each([
    [401, 3, 'does not accept the token'],
    [404, 3, 'takes no runs by hand'],
    [503, 3, 'redis cannot be asked now'],
    [422, 1, 'redis cannot be asked now'],
  ])('explains the answer %s', async (status, expected, message) => {
    const { run } = await serve({ status, body: { message: 'redis cannot be asked now' } })
    const { code, stderr } = await run('run')
    expect(code).toBe(expected)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain(token)
  })

  it('ends with 3 when nobody listens, and with 78 without a token', async () => {
    const env = { RECOMMENDATION_SCHEDULER_URL: 'http://127.0.0.1:1', RECOMMENDATION_TRIGGER_TOKEN: token }
    const nobody = await runInProcess(['recommendations', 'run'], { env })
    expect(nobody.code).toBe(3)
    expect(nobody.stderr).toContain('RECOMMENDATION_SCHEDULER_URL')
    expect(await runInProcess(['recommendations', 'run'])).toMatchObject({ code: 78 })
  })

  it('refuses a day that is none', async () => {
    expect(await runInProcess(['recommendations', 'run', '--day', 'monday'])).toMatchObject({ code: 2 })
  })
})

describe('recommendations status', () => {
  it('shows the run of today, whatever day that is for the scheduler', async () => {
    const { run, asked } = await serve({ status: 200, body: report })
    const { code, stdout } = await run('status')
    expect(code).toBe(0)
    expect(stdout).toContain('RUNNING')
    expect(asked[0]?.request).toBe('GET /runs/today')
    expect(JSON.parse((await run('status', '--json')).stdout)).toEqual(report)
  })

  it('ends with 1 when there was none', async () => {
    const { run } = await serve({ status: 404, body: { message: 'there was no run on 2026-11-19' } })
    const { code, stderr } = await run('status', '--day', '2026-11-19')
    expect(code).toBe(1)
    expect(stderr).toContain('There was no run on 2026-11-19.')
  })
})

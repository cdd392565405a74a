import { logLevel } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { captureLog } from '../testing/capture-log.ts'
import { createKafkaLog, kafkaLogLevel } from './client-log.ts'

const say = (level: logLevel, message: string, values: Record<string, unknown> = {}, options = {}) => {
  const { log, lines } = captureLog()
  const entry = { timestamp: '2026-01-01T00:00:00.000Z', logger: 'kafkajs', message, ...values }
  createKafkaLog(log, options)(level)({ namespace: 'Connection', level, label: '', log: entry })
  return lines()[0]
}

const notLeader = 'This server is not the leader for that topic-partition'

describe('the log of kafkajs', () => {
  it.each([
    [logLevel.ERROR, 'error'],
    [logLevel.WARN, 'warn'],
    [logLevel.INFO, 'info'],
    [logLevel.DEBUG, 'debug'],
  ])('keeps its level %s as %s', (level, expected) => {
    expect(say(level, 'something')?.level).toBe(expected)
  })

  it('has a constant message, with words and values in fields', () => {
    expect(say(logLevel.ERROR, 'Connection error: refused', { broker: 'localhost:1' })).toEqual({
      level: 'error',
      time: expect.any(String),
      service: 'test',
      namespace: 'Connection',
      detail: 'Connection error: refused',
      broker: 'localhost:1',
      msg: 'kafka client',
    })
  })

  it.each([
    [
      'a response while the coordinator loads',
      'Response GroupCoordinator(key: 10, version: 2)',
      {
        error: "The coordinator is loading and hence can't process requests for this group",
      },
    ],
    [
      'a rebalance',
      'The group is rebalancing, re-joining',
      {
        error: 'The group is rebalancing, so a rejoin is needed',
      },
    ],
    ['a moved leader, as the whole message', notLeader, {}],
    ['a moved leader, at the end of a message', `Failed to send messages: ${notLeader}`, {}],
  ])('is lowered to debug for what is retried anyway: %s', (_, message, values) => {
    expect(say(logLevel.ERROR, message, values)?.level).toBe('debug')
  })

  it('is lowered to debug for a warning about producers that we have taken care of', () => {
    const warning = 'Limiting retries for the idempotent producer may invalidate EoS guarantees'
    expect(say(logLevel.WARN, warning)?.level).toBe('debug')
  })

  it.each([
    ['the end of all retries', `Crash: KafkaJSNumberOfRetriesExceeded: ${notLeader}`, { retryCount: 5 }],
    [
      'a refusal',
      'Response Produce(key: 0, version: 7)',
      { error: 'Not authorized to access topics: [Topic authorization failed]' },
    ],
  ])('stays an error for %s', (_, message, values) => {
    expect(say(logLevel.ERROR, message, values)?.level).toBe('error')
  })

  it('is all at debug when it is to be quiet', () => {
    expect(say(logLevel.ERROR, 'Connection error: refused', {}, { quiet: true })?.level).toBe('debug')
  })

  it.each([
    ['trace', logLevel.DEBUG],
    ['debug', logLevel.DEBUG],
    ['info', logLevel.INFO],
    ['warn', logLevel.WARN],
    ['error', logLevel.ERROR],
    ['fatal', logLevel.NOTHING],
    ['silent', logLevel.NOTHING],
  ])('asks of kafkajs no more than a log at %s needs', (level, expected) => {
    expect(kafkaLogLevel(captureLog(level).log)).toBe(expected)
  })
})

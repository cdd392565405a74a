import { subjectOf, TOPICS } from '@dropbell/schemas/topics'
import { expect, it } from 'vitest'
import { formatCheck } from './format-check.ts'
import { summariseChecks } from './summarise-checks.ts'

const plain = (_: unknown, text: string): string => text
const noFaults = { byRecord: new Map<string, string[]>(), general: [] }

const registryWith = (state: 'registered' | 'can-be-registered' | 'incompatible', messages: string[] = []) => ({
  address: 'http://registry',
  subjects: TOPICS.map((topic) => ({
    subject: subjectOf(topic),
    record: topic.contract.name,
    version: topic.contract.versions.length,
    state,
    messages,
  })),
})

it('is content without a registry, and says that none was asked', () => {
  const check = summariseChecks({ source: 'files', topics: TOPICS, historyFaults: noFaults })
  expect(check).toMatchObject({ ok: true, registry: null })
  expect(formatCheck(check, plain)).toContain('No registry was asked')
})

it('is content with a registry that could take the schemas', () => {
  const check = summariseChecks({
    source: 'files',
    topics: TOPICS,
    historyFaults: noFaults,
    registry: registryWith('can-be-registered'),
  })
  expect(check.ok).toBe(true)
  expect(formatCheck(check, plain)).toContain('can be registered')
})

it("is not with one that would refuse them, and repeats the registry's words", () => {
  const registry = registryWith('incompatible', ['READER_FIELD_MISSING_DEFAULT_VALUE at /fields/3'])
  const check = summariseChecks({ source: 'files', topics: TOPICS, historyFaults: noFaults, registry })
  expect(check.ok).toBe(false)
  expect(formatCheck(check, plain)).toContain('READER_FIELD_MISSING_DEFAULT_VALUE at /fields/3')
})

it('shows a broken record at each of its subjects and says why once', () => {
  const fault = 'NotificationEvent v1 was changed.'
  const historyFaults = { byRecord: new Map([['NotificationEvent', [fault]]]), general: [] }
  const check = summariseChecks({ source: 'files', topics: TOPICS, historyFaults })
  expect(check.ok).toBe(false)
  expect(check.subjects.filter(({ history }) => history === 'broken').map(({ subject }) => subject)).toEqual([
    'notification.push.v1-value',
    'notification.inapp.v1-value',
  ])
  expect(formatCheck(check, plain).split(fault)).toHaveLength(2)
})

it('is not content with a fault that concerns no single subject', () => {
  const check = summariseChecks({
    source: 'files',
    topics: TOPICS,
    historyFaults: { ...noFaults, general: ['Order v1 was removed.'] },
  })
  expect(check.ok).toBe(false)
  expect(formatCheck(check, plain)).toContain('Order v1 was removed.')
})

it('speaks of no history when there is none beside what was built in', () => {
  const check = summariseChecks({ source: 'built-in', topics: TOPICS, historyFaults: noFaults })
  expect(formatCheck(check, plain)).toContain('The schemas fit each other.')
})

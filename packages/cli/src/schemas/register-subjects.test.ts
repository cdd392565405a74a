import { createMemoryRegistry } from '@dropbell/schemas/testing/memory-registry'
import { subjectOf, TOPICS } from '@dropbell/schemas/topics'
import { expect, it } from 'vitest'
import { formatRegistered } from './format-registered.ts'
import { formatSubjects } from './format-subjects.ts'
import { listSubjects } from './list-subjects.ts'
import { registerSubjects } from './register-subjects.ts'

const plain = (_: unknown, text: string): string => text
const address = 'http://registry'
const versionCount = TOPICS.flatMap(({ contract }) => contract.versions).length
const ignore = () => {}

it('says what is new, and nothing is the second time', async () => {
  const registry = createMemoryRegistry()
  const first = formatRegistered(await registerSubjects(registry, TOPICS, ignore), address, plain)
  const second = formatRegistered(await registerSubjects(registry, TOPICS, ignore), address, plain)
  expect(first).toContain(`${versionCount} new, 0 already there, in ${address}.`)
  expect(second).toContain(`0 new, ${versionCount} already there, in ${address}.`)
})

it('registers the other subjects when one is refused', async () => {
  const registry = createMemoryRegistry()
  const [occupied, ...others] = TOPICS.map(subjectOf) as [string, ...string[]]
  await registry.register(occupied, { type: 'record', name: 'Stranger', fields: [] })
  const subjects = await registerSubjects(registry, TOPICS, ignore)
  expect(subjects.filter(({ refused }) => refused !== null).map(({ subject }) => subject)).toEqual([occupied])
  expect(subjects.filter(({ refused }) => refused === null).map(({ subject }) => subject)).toEqual(others)
  expect(formatRegistered(subjects, address, plain)).toMatch(new RegExp(`${occupied}.*refused`))
})

it('lists ids and levels where there are any', async () => {
  const registry = createMemoryRegistry()
  const before = await listSubjects(registry, TOPICS)
  expect(formatSubjects(before, address, plain)).toContain(`${versionCount} not registered in ${address}`)

  await registerSubjects(registry, TOPICS, ignore)
  const [first] = await listSubjects(registry, TOPICS)
  expect(first).toMatchObject({ compatibility: 'BACKWARD', registryVersions: [1, 2] })
  expect(first?.versions.map(({ id }) => id)).toEqual([1, 2])
})

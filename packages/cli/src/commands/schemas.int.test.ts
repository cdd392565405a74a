import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRegistry } from '@dropbell/local-stack/schema-registry/start-registry'
import { testEnv } from '@dropbell/local-stack/testing/test-env'
import { createRegistryClient } from '@dropbell/schemas/registry-client'
import { subjectOf, TOPICS } from '@dropbell/schemas/topics'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ListedSubject } from '../schemas/list-subjects.ts'
import type { RegisteredSubject } from '../schemas/register-subjects.ts'
import type { CheckedSubject } from '../schemas/summarise-checks.ts'
import { runDropbell } from '../testing/cli-process.ts'
import { runInProcess } from '../testing/run-in-process.ts'

const subjects = TOPICS.map(subjectOf) as [string, ...string[]]
const versionCount = TOPICS.flatMap(({ contract }) => contract.versions).length
const stranger = { type: 'record', name: 'Stranger', fields: [{ name: 'mine', type: 'string' }] } as const

// The subjects have fixed names, so every test has a registry of its own, which is one topic.
let url: string
beforeEach(async () => {
  const brokers = testEnv().KAFKA_BROKERS.split(',')
  const registry = await startRegistry({ brokers, host: '127.0.0.1', port: 0, topic: `_schemas-${randomUUID()}` })
  url = registry.url
  return () => registry.stop()
})

const schemas = async (...args: string[]) => {
  const { code, stdout } = await runDropbell(['schemas', ...args, '--json'], { SCHEMA_REGISTRY_URL: url }).result
  return { code, answer: JSON.parse(stdout) }
}

const versionsIn = (registered: RegisteredSubject[]) =>
  registered.flatMap((subject) => (subject.refused === null ? subject.versions : []))

describe('schemas register', () => {
  it('registers everything, and the second time finds it under the same ids', async () => {
    const first = await schemas('register')
    const second = await schemas('register')
    expect([first.code, second.code]).toEqual([0, 0])
    expect(versionsIn(first.answer.subjects).map(({ state }) => state)).toEqual(Array(versionCount).fill('registered'))
    expect(versionsIn(second.answer.subjects)).toEqual(
      versionsIn(first.answer.subjects).map((version) => ({ ...version, state: 'already-there' })),
    )
  })

  it('ends with 1 and names the subject that is refused, and registers the others', async () => {
    await createRegistryClient({ url }).register(subjects[0], stranger)
    const { code, stdout } = await runDropbell(['schemas', 'register', '--registry', url]).result
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`${subjects[0]}.*refused`))
    for (const subject of subjects.slice(1)) expect(stdout).toMatch(new RegExp(`${subject}.*new`))
  })
})

describe('schemas list', () => {
  it('shows that an empty registry has none of ours, and registers nothing', async () => {
    const { code, answer } = await schemas('list')
    expect(code).toBe(0)
    expect(answer.subjects.map(({ subject }: ListedSubject) => subject)).toEqual(subjects)
    expect(await createRegistryClient({ url }).versionsOf(subjects[0])).toBeUndefined()
  })

  it('shows the id of every version, and the level that counts', async () => {
    await schemas('register')
    const { answer } = await schemas('list')
    expect(answer.registry).toBe(url)
    for (const { versions, registryVersions, compatibility } of answer.subjects as ListedSubject[]) {
      expect(versions).toEqual(versions.map(({ version }) => ({ version, id: expect.any(Number) })))
      expect(registryVersions).toEqual(versions.map(({ version }) => version))
      expect(compatibility).toBe('BACKWARD')
    }
  })
})

describe('schemas check', () => {
  const statesIn = ({ subjects: checked }: { subjects: CheckedSubject[] }) => checked.map(({ registry }) => registry)

  it('says whether the registry has the schemas or could take them', async () => {
    const before = await schemas('check')
    await schemas('register')
    const after = await schemas('check')
    expect([before.code, after.code]).toEqual([0, 0])
    expect(statesIn(before.answer)).toEqual(subjects.map(() => 'can-be-registered'))
    expect(statesIn(after.answer)).toEqual(subjects.map(() => 'registered'))
  })

  it('ends with 1 when the registry would refuse one', async () => {
    await createRegistryClient({ url }).register(subjects[0], stranger)
    const { code, answer } = await schemas('check')
    expect(code).toBe(1)
    expect(statesIn(answer)).toEqual(['incompatible', ...subjects.slice(1).map(() => 'can-be-registered')])
  })

  it('ends with 1 when a file was edited so that it fits neither the history nor the registry', async () => {
    await schemas('register')
    const avroFolder = await copyOfSchemas()
    const file = join(avroFolder, 'fanout-request/v1.avsc')
    const schema = JSON.parse(await readFile(file, 'utf8'))
    schema.fields.push({ name: 'mandatory', type: 'string' })
    await writeFile(file, JSON.stringify(schema))

    const { code, stdout } = await runInProcess(['schemas', 'check', '--registry', url], { avroFolder })
    expect(code).toBe(1)
    expect(stdout).toMatch(/notification\.fanout\.v1-value.*broken.*incompatible/)
    expect(stdout).toContain('FanoutRequest v1 was changed')
    expect(stdout).toMatch(/The registry would refuse FanoutRequest v1:.*mandatory/)
  })
})

it('schemas check ends with 1 and names the file that is not even JSON', async () => {
  const avroFolder = await copyOfSchemas()
  await writeFile(join(avroFolder, 'notification-outcome/v1.avsc'), '{')
  const { code, stderr } = await runInProcess(['schemas', 'check'], { avroFolder })
  expect(code).toBe(1)
  expect(stderr).toContain('notification-outcome/v1.avsc is not valid JSON')
})

const copyOfSchemas = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'dropbell-avro-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(join(import.meta.dirname, '../../../schemas/avro'), folder, { recursive: true })
  return folder
}

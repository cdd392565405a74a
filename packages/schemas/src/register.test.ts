import { describe, expect, it } from 'vitest'
import { RegistryRefusedError } from './codec-errors.ts'
import type { AvroTypeDefinition } from './contract.ts'
import { registerSchemas } from './register.ts'
import { checkRegistry } from './registry-check.ts'
import { createMemoryRegistry } from './testing/memory-registry.ts'
import { notificationPushTopic, productInventoryTopic, subjectOf, TOPICS } from './topics.ts'

const subject = subjectOf(productInventoryTopic)
const versionOf = (version: number) =>
  productInventoryTopic.contract.versions[version - 1]?.schema as AvroTypeDefinition

describe('registering the schemas', () => {
  it('registers every version of every subject in order, and nothing the second time', async () => {
    const registry = createMemoryRegistry()
    const first = await registerSchemas(registry)
    expect(first.map((each) => each.subject)).toEqual(TOPICS.map(subjectOf))
    expect(first.flatMap(({ versions }) => versions.map(({ state }) => state))).not.toContain('already-there')
    expect(await registry.versionsOf(subject)).toEqual([1, 2])

    const again = await registerSchemas(registry)
    expect(again.flatMap(({ versions }) => versions.map(({ state }) => state))).not.toContain('registered')
    expect(again.map(({ versions }) => versions.map(({ id }) => id))).toEqual(
      first.map(({ versions }) => versions.map(({ id }) => id)),
    )
  })

  it('makes every subject BACKWARD, but keeps a stricter level', async () => {
    const registry = createMemoryRegistry()
    await registry.setCompatibility(subject, 'FULL')
    await registry.setCompatibility(subjectOf(notificationPushTopic), 'NONE')
    await registerSchemas(registry)
    expect(await registry.compatibilityOf(subject)).toBe('FULL')
    expect(await registry.compatibilityOf(subjectOf(notificationPushTopic))).toBe('BACKWARD')
  })

  it('leaves out an old version that would be refused because a newer one is there already', async () => {
    const registry = createMemoryRegistry()
    const subjectOfPush = subjectOf(notificationPushTopic)
    const [, second] = notificationPushTopic.contract.versions
    await registry.register(subjectOfPush, second?.schema as AvroTypeDefinition)
    const [registration] = await registerSchemas(registry, [notificationPushTopic])
    expect(registration?.versions.map(({ version, state }) => [version, state])).toEqual([[2, 'already-there']])
  })

  it('takes a version another team registered before as its own', async () => {
    const registry = createMemoryRegistry()
    const id = await registry.register(subject, versionOf(1))
    const [registration] = await registerSchemas(registry, [productInventoryTopic])
    expect(registration?.versions).toEqual([
      { version: 1, id, state: 'already-there' },
      { version: 2, id: id + 1, state: 'registered' },
    ])
  })

  it('fails loudly where the registry has something incompatible', async () => {
    const registry = createMemoryRegistry()
    await registry.register(subject, { ...versionOf(1), name: 'SomethingElse' })
    await expect(registerSchemas(registry)).rejects.toThrow(RegistryRefusedError)
  })
})

describe('checking a registry', () => {
  it('tells what is registered from what could be and what could not', async () => {
    const registry = createMemoryRegistry()
    await registerSchemas(registry, [productInventoryTopic])
    await registry.register(subjectOf(notificationPushTopic), { ...versionOf(1), name: 'SomethingElse' })
    const states = (await checkRegistry(registry)).map(({ state }) => state)
    expect(states).toEqual([
      'registered',
      'can-be-registered',
      'incompatible',
      'can-be-registered',
      'can-be-registered',
    ])
    expect(registry.calls.get('register')).toBe(3)
  })
})

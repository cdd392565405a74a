import { dlqStateTopic } from '@dropbell/schemas/topics'
import type { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createDlqWorld, type DlqWorld } from '../testing/dlq-world.ts'

vi.setConfig({ testTimeout: 120_000 })

// Kafka's numbers; Node finds no named exports for kafkajs's enums.
const topicResource: AclResourceTypes.TOPIC = 2
const transactionalIdResource: AclResourceTypes.TRANSACTIONAL_ID = 5
const literal: ResourcePatternTypes.LITERAL = 3
const deny: AclPermissionTypes.DENY = 2
const operations = {
  read: 3 as AclOperationTypes.READ,
  write: 4 as AclOperationTypes.WRITE,
}

interface Topics {
  origin: string
  dlq: string
}

let world: DlqWorld
// All of them before anything is denied: a producer that is denied one topic gets no word about the others.
let topics: Topics[]

beforeAll(async () => {
  world = await createDlqWorld()
  topics = []
  for (let n = 0; n < 4; n++) topics.push(await topicsWithOne())
})
afterAll(() => world?.close())

const denyAccess = (
  resourceName: string,
  operation: AclOperationTypes,
  resourceType: AclResourceTypes = topicResource,
): Promise<boolean> =>
  world.admin.createAcls({
    acl: [
      {
        resourceType,
        resourceName,
        resourcePatternType: literal,
        principal: 'User:ANONYMOUS',
        host: '*',
        operation,
        permissionType: deny,
      },
    ],
  })

const topicsWithOne = async () => {
  const created = await world.createTopics(1)
  await world.sendDeadLetters(created.origin, [{ partition: 0, offset: 1, key: null, value: null, reason: 'X' }])
  return created
}

/** Brokers learn of a rule a moment after it was made. */
const untilDenied = (...args: string[]) =>
  vi.waitFor(
    async () => {
      const { code, stdout, stderr } = await world.run('dlq', ...args)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain('denies access')
      expect(stderr).toContain('Ask for an ACL for this user')
      expect(stderr).not.toMatch(/^\s+at /m)
    },
    { timeout: 30_000 },
  )

describe('without permission', () => {
  it('to read the dead letters every command ends with 3 and says so', async () => {
    const { dlq } = topics[0] as Topics
    await denyAccess(dlq, operations.read)
    for (const command of ['list', 'replay', 'dismiss']) await untilDenied(command, dlq)
    await untilDenied('show', dlq, '0:0')
  })

  it('to write the original topic a replay ends with 3, and nothing is marked', async () => {
    const { dlq, origin } = topics[1] as Topics
    await denyAccess(origin, operations.write)
    await vi.waitFor(async () => {
      const { code, stderr } = await world.run('dlq', 'replay', dlq, '--yes')
      expect(code).toBe(3)
      expect(stderr).toContain('denies access')
    })
    expect((await world.ask('dlq', 'list', dlq)).answer).toMatchObject({ selected: 1, done: 0 })
  })

  it('to use the transactional id a replay ends with 3', async () => {
    const { dlq } = topics[2] as Topics
    await denyAccess(`dropbell-dlq-${dlq}`, operations.write, transactionalIdResource)
    await vi.waitFor(
      async () => {
        const { code, stderr } = await world.run('dlq', 'replay', dlq, '--yes')
        expect(code).toBe(3)
        expect(stderr).toContain(
          'Ask for an ACL that allows Describe and Write on the transactional ids dropbell-dlq-*',
        )
      },
      { timeout: 60_000 },
    )
  })

  it('to write what was done a dismissal ends with 3', async () => {
    const { dlq } = topics[3] as Topics
    await denyAccess(dlqStateTopic.name, operations.write)
    await vi.waitFor(async () => {
      const { code, stderr } = await world.run('dlq', 'dismiss', dlq, '--yes')
      expect(code).toBe(3)
      expect(stderr).toContain('denies access')
    })
  })
})

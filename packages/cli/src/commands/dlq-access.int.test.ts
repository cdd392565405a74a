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
const allow: AclPermissionTypes.ALLOW = 3
const operations = {
  read: 3 as AclOperationTypes.READ,
  write: 4 as AclOperationTypes.WRITE,
  describe: 8 as AclOperationTypes.DESCRIBE,
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

/** Until the broker itself says that the rule is in force, since it learns of it a moment after it was made. */
const rule = async (
  permissionType: AclPermissionTypes,
  resourceName: string,
  operation: AclOperationTypes,
  resourceType: AclResourceTypes = topicResource,
): Promise<void> => {
  const acl = {
    ...{ resourceType, resourceName, resourcePatternType: literal },
    ...{ principal: 'User:ANONYMOUS', host: '*', operation, permissionType },
  }
  await world.admin.createAcls({ acl: [acl] })
  await vi.waitUntil(async () => (await world.admin.describeAcls(acl)).resources.length > 0, { timeout: 30_000 })
}

const topicsWithOne = async () => {
  const created = await world.createTopics(1)
  await world.sendDeadLetters(created.origin, [{ partition: 0, offset: 1, key: null, value: null, reason: 'X' }])
  return created
}

const denyAccess = (...args: [string, AclOperationTypes, AclResourceTypes?]): Promise<void> => rule(deny, ...args)

const expectDenied = async (...args: string[]): Promise<void> => {
  const { code, stdout, stderr } = await world.run('dlq', ...args)
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toContain('denies access')
  expect(stderr).toContain('Ask for an ACL for this user')
  expect(stderr).not.toMatch(/^\s+at /m)
}

describe('without permission', () => {
  it('to read the dead letters every command ends with 3 and says so', async () => {
    const { dlq } = topics[0] as Topics
    await denyAccess(dlq, operations.read)
    for (const command of ['list', 'replay', 'dismiss']) await expectDenied(command, dlq)
    await expectDenied('show', dlq, '0:0')
  })

  it('to read some of the dead letters the others are shown, and which are not', async () => {
    const [denied, other] = topics as [Topics, Topics]
    // Seen, but not read: without any right a topic is not even listed.
    await rule(allow, denied.dlq, operations.describe)
    await denyAccess(denied.dlq, operations.read)
    const { code, stdout, stderr } = await world.run('dlq', 'topics')
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`^${other.dlq} +1 `, 'm'))
    expect(stderr).toContain(`${denied.dlq} cannot be read: TOPIC_AUTHORIZATION_FAILED`)
    const { answer } = await world.ask('dlq', 'topics')
    expect(answer.unreadable).toMatchObject([{ topic: denied.dlq }])
  })

  it('to write the original topic a replay ends with 3, and nothing is marked', async () => {
    const { dlq, origin } = topics[1] as Topics
    await denyAccess(origin, operations.write)
    const { code, stderr } = await world.run('dlq', 'replay', dlq, '--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('denies access')
    expect((await world.ask('dlq', 'list', dlq)).answer).toMatchObject({ selected: 1, done: 0 })
  })

  it('to use the transactional id a replay ends with 3', async () => {
    const { dlq } = topics[2] as Topics
    await denyAccess(`dropbell-dlq-${dlq}`, operations.write, transactionalIdResource)
    const { code, stderr } = await world.run('dlq', 'replay', dlq, '--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('Ask for an ACL that allows Describe and Write on the transactional ids dropbell-dlq-*')
  })

  it('to write what was done a dismissal ends with 3', async () => {
    const { dlq } = topics[3] as Topics
    await denyAccess(dlqStateTopic.name, operations.write)
    const { code, stderr } = await world.run('dlq', 'dismiss', dlq, '--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('denies access')
  })
})

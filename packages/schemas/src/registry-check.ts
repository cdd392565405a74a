import { newestVersion } from './contract.ts'
import type { RegistryClient } from './registry-client.ts'
import { subjectOf, TOPICS, type TopicDeclaration } from './topics.ts'

export interface SubjectCheck {
  readonly subject: string
  readonly record: string
  /** Our newest version, which is what the state speaks of. */
  readonly version: number
  readonly state: 'registered' | 'can-be-registered' | 'incompatible'
  readonly messages: readonly string[]
}

/** Where a registry stands compared to ours. Changes nothing there. */
export async function checkRegistry(
  registry: RegistryClient,
  topics: readonly TopicDeclaration[] = TOPICS,
): Promise<SubjectCheck[]> {
  return Promise.all(topics.map((topic) => checkSubject(registry, topic)))
}

async function checkSubject(registry: RegistryClient, topic: TopicDeclaration): Promise<SubjectCheck> {
  const subject = subjectOf(topic)
  const { version, schema } = newestVersion(topic.contract)
  const checked = { subject, record: topic.contract.name, version }
  if ((await registry.idOfSchema(subject, schema)) !== undefined) {
    return { ...checked, state: 'registered', messages: [] }
  }
  const { compatible, messages } = await registry.testCompatibility(subject, schema)
  return { ...checked, state: compatible ? 'can-be-registered' : 'incompatible', messages }
}

import type { SchemaVersion } from './contract.ts'
import type { RegistryClient } from './registry-client.ts'
import { subjectOf, TOPICS, type TopicDeclaration } from './topics.ts'

export interface RegisteredVersion {
  readonly version: number
  readonly id: number
  readonly state: 'registered' | 'already-there'
}

export interface SubjectRegistration {
  readonly subject: string
  readonly record: string
  readonly compatibility: string
  readonly versions: readonly RegisteredVersion[]
}

const COMPATIBILITY = 'BACKWARD'
/** Levels that promise at least what we need. An operator who chose a stricter one keeps it. */
const KEPT_LEVELS = new Set(['BACKWARD', 'BACKWARD_TRANSITIVE', 'FULL', 'FULL_TRANSITIVE'])

/**
 * Registers every version of every subject, oldest first, so that a producer written against an old version finds it.
 * Running it again changes nothing.
 */
export async function registerSchemas(
  registry: RegistryClient,
  topics: readonly TopicDeclaration[] = TOPICS,
): Promise<SubjectRegistration[]> {
  const registrations: SubjectRegistration[] = []
  for (const topic of topics) registrations.push(await registerSubject(registry, topic))
  return registrations
}

async function registerSubject(registry: RegistryClient, topic: TopicDeclaration): Promise<SubjectRegistration> {
  const subject = subjectOf(topic)
  // Before the first version, so that no incompatible one can slip in between.
  const compatibility = await ensureCompatibility(registry, subject)
  const versions: RegisteredVersion[] = []
  for (const { version, schema } of await withoutSuperseded(registry, subject, topic.contract.versions)) {
    const known = await registry.idOfSchema(subject, schema)
    const id = known ?? (await registry.register(subject, schema))
    versions.push({ version, id, state: known === undefined ? 'registered' : 'already-there' })
  }
  return { subject, record: topic.contract.name, compatibility, versions }
}

/** Where a newer version is registered, an older one that is not would be refused as the next one, and nobody needs it. */
async function withoutSuperseded(
  registry: RegistryClient,
  subject: string,
  versions: readonly SchemaVersion[],
): Promise<readonly SchemaVersion[]> {
  const ids = await Promise.all(versions.map(({ schema }) => registry.idOfSchema(subject, schema)))
  const newestKnown = ids.findLastIndex((id) => id !== undefined)
  return versions.filter((_, index) => index >= newestKnown || ids[index] !== undefined)
}

async function ensureCompatibility(registry: RegistryClient, subject: string): Promise<string> {
  const level = await registry.compatibilityOf(subject)
  if (level !== undefined && KEPT_LEVELS.has(level)) return level
  await registry.setCompatibility(subject, COMPATIBILITY)
  return COMPATIBILITY
}

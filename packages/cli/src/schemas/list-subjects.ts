import type { RegistryClient } from '@dropbell/schemas/registry-client'
import { subjectOf, type TopicDeclaration } from '@dropbell/schemas/topics'

/** Also what `schemas list --json` prints, one per subject. */
export interface ListedSubject {
  readonly subject: string
  readonly record: string
  /** The level set for this subject; null if it is the registry's global one. */
  readonly compatibility: string | null
  /** Ours, and the id under which the registry has each; null if it does not. */
  readonly versions: readonly { readonly version: number; readonly id: number | null }[]
  /** All that the registry has, also those that others registered. It counts for itself, so numbers may differ from ours. */
  readonly registryVersions: readonly number[]
}

export const listSubjects = (registry: RegistryClient, topics: readonly TopicDeclaration[]): Promise<ListedSubject[]> =>
  Promise.all(topics.map((topic) => listSubject(registry, topic)))

const listSubject = async (registry: RegistryClient, topic: TopicDeclaration): Promise<ListedSubject> => {
  const subject = subjectOf(topic)
  const [compatibility, registryVersions, versions] = await Promise.all([
    registry.compatibilityOf(subject),
    registry.versionsOf(subject),
    Promise.all(
      topic.contract.versions.map(async ({ version, schema }) => ({
        version,
        id: (await registry.idOfSchema(subject, schema)) ?? null,
      })),
    ),
  ])
  return {
    subject,
    record: topic.contract.name,
    compatibility: compatibility ?? null,
    versions,
    registryVersions: registryVersions ?? [],
  }
}

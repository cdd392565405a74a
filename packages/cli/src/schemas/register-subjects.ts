import { RegistryRefusedError } from '@dropbell/schemas/codec-errors'
import { registerSchemas, type SubjectRegistration } from '@dropbell/schemas/register'
import type { RegistryClient } from '@dropbell/schemas/registry-client'
import { subjectOf, type TopicDeclaration } from '@dropbell/schemas/topics'

/** Also what `schemas register --json` prints, one per subject. `refused` holds the registry's words. */
export type RegisteredSubject =
  | (SubjectRegistration & { readonly refused: null })
  | { readonly subject: string; readonly record: string; readonly refused: string }

/** A subject that is refused does not keep the others from being registered. */
export const registerSubjects = async (
  registry: RegistryClient,
  topics: readonly TopicDeclaration[],
  onProgress: (subject: string) => void,
): Promise<RegisteredSubject[]> => {
  const subjects: RegisteredSubject[] = []
  for (const topic of topics) {
    onProgress(subjectOf(topic))
    subjects.push(...(await registerSubject(registry, topic)))
  }
  return subjects
}

const registerSubject = async (registry: RegistryClient, topic: TopicDeclaration): Promise<RegisteredSubject[]> => {
  try {
    const registrations = await registerSchemas(registry, [topic])
    return registrations.map((registration) => ({ ...registration, refused: null }))
  } catch (error) {
    if (!(error instanceof RegistryRefusedError)) throw error
    return [{ subject: subjectOf(topic), record: topic.contract.name, refused: error.message }]
  }
}

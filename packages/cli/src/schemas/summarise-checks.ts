import type { SchemaHistory } from '@dropbell/schemas/contract'
import type { SubjectCheck } from '@dropbell/schemas/registry-check'
import { subjectOf, type TopicDeclaration } from '@dropbell/schemas/topics'
import type { HistoryFaults } from './check-history.ts'
import type { WorkingTree } from './read-working-tree.ts'

/** Also what `schemas check --json` prints. */
export interface SchemaCheck {
  readonly ok: boolean
  readonly source: WorkingTree['source']
  /** Null if no registry was given. */
  readonly registry: string | null
  readonly subjects: readonly CheckedSubject[]
  /** What concerns no single subject. */
  readonly faults: readonly string[]
}

export interface CheckedSubject {
  readonly subject: string
  readonly record: string
  readonly versions: readonly number[]
  readonly history: 'ok' | 'broken'
  readonly registry: SubjectCheck['state'] | null
  readonly faults: readonly string[]
}

export interface SchemaCheckInput {
  readonly source: WorkingTree['source']
  readonly topics: readonly TopicDeclaration[]
  readonly historyFaults: HistoryFaults
  readonly registry?: { readonly address: string; readonly subjects: readonly SubjectCheck[] } | undefined
}

export const summariseChecks = ({ source, topics, historyFaults, registry }: SchemaCheckInput): SchemaCheck => {
  const subjects = topics.map((topic): CheckedSubject => {
    const { name, versions } = topic.contract
    const subject = subjectOf(topic)
    const historical = historyFaults.byRecord.get(name) ?? []
    const inRegistry = registry?.subjects.find((check) => check.subject === subject)
    return {
      subject,
      record: name,
      versions: versions.map(({ version }) => version),
      history: historical.length === 0 ? 'ok' : 'broken',
      registry: inRegistry?.state ?? null,
      faults: [...historical, ...registryFaults(inRegistry)],
    }
  })
  const faults = historyFaults.general
  const ok = faults.length === 0 && subjects.every((subject) => subject.faults.length === 0)
  return { ok, source, registry: registry?.address ?? null, subjects, faults }
}

const registryFaults = (check: SubjectCheck | undefined): string[] => {
  if (check?.state !== 'incompatible') return []
  const words = check.messages.length > 0 ? `: ${check.messages.join('; ')}` : ''
  return [`The registry would refuse ${check.record} v${check.version}${words}`]
}

/** The topics as the working tree has them: with the schemas of the files, not those that were built in. */
export const withSchemasOf = (
  topics: readonly TopicDeclaration[],
  files: readonly SchemaHistory[],
): TopicDeclaration[] =>
  topics.map((topic) => ({
    ...topic,
    contract: files.find(({ name }) => name === topic.contract.name) ?? topic.contract,
  }))

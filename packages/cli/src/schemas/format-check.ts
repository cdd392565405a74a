import { formatTable } from '@dropbell/shared/format-table'
import type { Output } from '../output.ts'
import type { CheckedSubject, SchemaCheck } from './summarise-checks.ts'

export const formatCheck = (
  { ok, source, registry, subjects, faults }: SchemaCheck,
  paint: Output['paint'],
): string => {
  const table = formatTable(
    ['subject', 'record', 'versions', 'history', ...(registry === null ? [] : ['registry'])],
    subjects.map((subject) => [
      subject.subject,
      subject.record,
      subject.versions.map((version) => `v${version}`).join(' '),
      subject.history === 'ok' ? paint('green', 'ok') : paint('red', 'broken'),
      ...(registry === null ? [] : [formatRegistryState(subject.registry, paint)]),
    ]),
  )
  // Two subjects may carry the same record: its faults are said once.
  const all = [...new Set([...faults, ...subjects.flatMap((subject) => subject.faults)])]
  const past = source === 'files' ? 'the committed history' : 'each other'
  const compared = `${past}${registry === null ? '' : ` and ${registry}`}`
  const verdict = ok
    ? `The schemas fit ${compared}.`
    : `The schemas do not fit ${compared}:\n${all.map((fault) => `  ${fault}`).join('\n')}`
  const note = registry === null ? ['No registry was asked; --registry or SCHEMA_REGISTRY_URL names one.'] : []
  return [table, [verdict, ...note].join('\n')].join('\n\n')
}

const formatRegistryState = (state: CheckedSubject['registry'], paint: Output['paint']): string => {
  if (state === 'registered') return paint('green', 'registered')
  if (state === 'can-be-registered') return paint('cyan', 'can be registered')
  return paint('red', state ?? 'unknown')
}

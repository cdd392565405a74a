import { formatTable } from '@dropbell/shared/format-table'
import type { Output } from '../output.ts'
import type { RegisteredSubject } from './register-subjects.ts'

export const formatRegistered = (
  subjects: readonly RegisteredSubject[],
  address: string,
  paint: Output['paint'],
): string => {
  const table = formatTable(
    ['subject', 'record', 'version', 'id', 'compatibility', 'state'],
    subjects.flatMap((subject) => formatRows(subject, paint)),
  )
  const versions = subjects.flatMap((subject) => (subject.refused === null ? subject.versions : []))
  const added = versions.filter(({ state }) => state === 'registered').length
  const refusals = subjects.flatMap(({ refused }) => refused ?? [])
  const summary = `${added} new, ${versions.length - added} already there, in ${address}.`
  return [table, [summary, ...refusals].join('\n')].join('\n\n')
}

const formatRows = (subject: RegisteredSubject, paint: Output['paint']): string[][] => {
  if (subject.refused !== null) return [[subject.subject, subject.record, '-', '-', '-', paint('red', 'refused')]]
  return subject.versions.map(({ version, id, state }) => [
    subject.subject,
    subject.record,
    `v${version}`,
    String(id),
    subject.compatibility,
    state === 'registered' ? paint('green', 'new') : paint('dim', 'already there'),
  ])
}
